require "./spec_helper"

describe RedisClient::Client do
  it "shares connections between fibers" do
    client = RedisClient.new("#{RedisServer.url}?pool=3")
    client.del "spec:n"
    done = Channel(Nil).new
    20.times do
      spawn do
        50.times { client.incr "spec:n" }
        done.send(nil)
      end
    end
    20.times { done.receive }
    client.getdel("spec:n").should eq "1000"
    client.info("clients").should match /connected_clients:\d/
    client.pipeline { |pipe| pipe.ping; pipe.ping }.should eq ["PONG", "PONG"] of RedisClient::Value
    client.multi { |transaction| transaction.ping }.should eq ["PONG"] of RedisClient::Value
    client.close
  end

  it "makes no more connections than it needs" do
    client = RedisClient.new("#{RedisServer.url}?pool=3&name=spec-pool")
    5.times { client.ping }
    client.call(String, "CLIENT", "LIST").scan("name=spec-pool").size.should eq 1
    client.close
    expect_raises(RedisClient::Error, /closed/) { client.ping }
  end

  it "says that no connection got free" do
    client = RedisClient.new("#{RedisServer.url}?pool=1&pool_timeout=0.02")
    client.checkout do |_|
      expect_raises(RedisClient::PoolTimeoutError) { client.ping }
    end
    client.ping.should eq "PONG"
    client.close
  end

  it "goes through all keys" do
    client = RedisClient.new(RedisServer.url)
    100.times { |index| client.set "spec:each:#{index}", index }
    keys = Set(String).new
    client.each_key("spec:each:*", count: 10) { |key| keys << key }
    keys.size.should eq 100
    client.del(keys)
    client.close
  end
end
