require "./spec_helper"

{"", "?protocol=3"}.each do |query|
  describe "commands#{query}" do
    it "has strings" do
      with_redis(query) do |redis|
        redis.set("spec:a", "x").should be_true
        redis.get("spec:a").should eq "x"
        redis.get("spec:none").should be_nil
        redis.set("spec:a", "y", nx: true).should be_false
        redis.set("spec:a", "y", xx: true, ex: 10.seconds).should be_true
        redis.ttl("spec:a").should be_close(10, 1)
        redis.getset("spec:a", "z").should eq "y"
        redis.getex("spec:a", persist: true).should eq "z"
        redis.append("spec:a", "!").should eq 2
        redis.strlen("spec:a").should eq 2
        redis.getrange("spec:a", 0, 0).should eq "z"
        redis.setrange("spec:a", 1, "?").should eq 2
        redis.getdel("spec:a").should eq "z?"
        redis.setnx("spec:a", 1).should be_true
        redis.setex("spec:b", 10, "v").should be_true
        redis.incr("spec:a").should eq 2
        redis.incrby("spec:a", 40).should eq 42
        redis.decr("spec:a").should eq 41
        redis.decrby("spec:a", 1).should eq 40
        redis.incrbyfloat("spec:a", 0.5).should eq 40.5
        redis.mset({"spec:c" => "1", "spec:d" => "2"}).should be_true
        redis.msetnx({"spec:c" => "3", "spec:e" => "4"}).should be_false
        redis.mget("spec:c", "spec:none", "spec:d").should eq ["1", nil, "2"]
        redis.mget(["spec:c", "spec:d"]).should eq ["1", "2"]
        redis.setbit("spec:bits", 7, 1).should eq 0
        redis.getbit("spec:bits", 7).should eq 1
        redis.bitcount("spec:bits").should eq 1
      end
    end

    it "keeps bytes as they are" do
      with_redis(query) do |redis|
        bytes = Bytes.new(256, &.to_u8)
        redis.set("spec:bytes", bytes)
        redis.get("spec:bytes").not_nil!.to_slice.should eq bytes
        long = "x" * 1_000_000
        redis.set("spec:long", long)
        redis.get("spec:long").should eq long
      end
    end

    it "has keys and expiry" do
      with_redis(query) do |redis|
        redis.set("spec:a", 1)
        redis.exists("spec:a", "spec:b").should eq 1
        redis.exists?("spec:a").should be_true
        redis.type("spec:a").should eq "string"
        redis.expire("spec:a", 100.seconds).should be_true
        redis.expire("spec:none", 100).should be_false
        redis.pttl("spec:a").should be_close(100_000, 1000)
        redis.pexpire("spec:a", 50_000).should be_true
        redis.persist("spec:a").should be_true
        redis.ttl("spec:a").should eq -1
        redis.expireat("spec:a", Time.utc + 1.hour).should be_true
        redis.pexpireat("spec:a", Time.utc + 1.hour).should be_true
        redis.rename("spec:a", "spec:b").should be_true
        redis.copy("spec:b", "spec:c").should be_true
        redis.renamenx("spec:b", "spec:c").should be_false
        redis.keys("spec:*").sort.should eq ["spec:b", "spec:c"]
        redis.touch("spec:b", "spec:none").should eq 1
        redis.unlink("spec:b").should eq 1
        redis.del("spec:b", "spec:c").should eq 1
        redis.del(["spec:x", "spec:y"]).should eq 0
        redis.scan(match: "spec:none*", count: 10)[1].should be_empty
      end
    end

    it "has hashes" do
      with_redis(query) do |redis|
        redis.hset("spec:h", "a", 1).should eq 1
        redis.hset("spec:h", {"b" => "2", "c" => "3"}).should eq 2
        redis.hget("spec:h", "a").should eq "1"
        redis.hmget("spec:h", "a", "x").should eq ["1", nil]
        redis.hgetall("spec:h").should eq({"a" => "1", "b" => "2", "c" => "3"})
        redis.hsetnx("spec:h", "a", 9).should be_false
        redis.hexists("spec:h", "a").should be_true
        redis.hlen("spec:h").should eq 3
        redis.hstrlen("spec:h", "a").should eq 1
        redis.hkeys("spec:h").sort.should eq ["a", "b", "c"]
        redis.hvals("spec:h").sort.should eq ["1", "2", "3"]
        redis.hincrby("spec:h", "a", 4).should eq 5
        redis.hincrbyfloat("spec:h", "a", 0.25).should eq 5.25
        redis.hscan("spec:h")[1].size.should eq 6
        redis.hdel("spec:h", "a", "b").should eq 2
      end
    end

    it "has lists" do
      with_redis(query) do |redis|
        redis.rpush("spec:l", "a", "b").should eq 2
        redis.lpush("spec:l", ["z"]).should eq 3
        redis.lrange("spec:l").should eq ["z", "a", "b"]
        redis.lindex("spec:l", 1).should eq "a"
        redis.lset("spec:l", 1, "A").should be_true
        redis.linsert_before("spec:l", "b", "m").should eq 4
        redis.linsert_after("spec:l", "b", "n").should eq 5
        redis.lpos("spec:l", "b").should eq 3
        redis.lpos("spec:l", "none").should be_nil
        redis.lrem("spec:l", 0, "m").should eq 1
        redis.ltrim("spec:l", 0, 1).should be_true
        redis.llen("spec:l").should eq 2
        redis.lmove("spec:l", "spec:m").should eq "z"
        redis.lpop("spec:l").should eq "A"
        redis.rpop("spec:l").should be_nil
        redis.lpushx("spec:l", 1).should eq 0
        redis.blpop("spec:l", "spec:m", timeout: 1.second).should eq({"spec:m", "z"})
        redis.brpop("spec:l", timeout: 10.milliseconds).should be_nil
      end
    end

    it "has sets" do
      with_redis(query) do |redis|
        redis.sadd("spec:s", "a", "b").should eq 2
        redis.sadd("spec:t", ["b", "c"]).should eq 2
        redis.smembers("spec:s").sort.should eq ["a", "b"]
        redis.sismember("spec:s", "a").should be_true
        redis.smismember("spec:s", "a", "c").should eq [true, false]
        redis.sinter("spec:s", "spec:t").should eq ["b"]
        redis.sunion("spec:s", "spec:t").sort.should eq ["a", "b", "c"]
        redis.sdiff("spec:s", "spec:t").should eq ["a"]
        redis.sunionstore("spec:u", "spec:s", "spec:t").should eq 3
        redis.sinterstore("spec:u", "spec:s", "spec:t").should eq 1
        redis.sdiffstore("spec:u", "spec:s", "spec:t").should eq 1
        redis.smove("spec:s", "spec:t", "a").should be_true
        redis.srem("spec:t", "a", "x").should eq 1
        redis.scard("spec:t").should eq 2
        redis.srandmember("spec:s").should eq "b"
        redis.sscan("spec:s")[1].should eq ["b"]
        redis.spop("spec:s").should eq "b"
        redis.spop("spec:s").should be_nil
      end
    end

    it "has sorted sets" do
      with_redis(query) do |redis|
        redis.zadd("spec:z", 1.5, "a").should eq 1
        redis.zadd("spec:z", {"b" => 2, "c" => 3}).should eq 2
        redis.zadd("spec:z", {"b" => 1}, gt: true, changed: true).should eq 0
        redis.zscore("spec:z", "a").should eq 1.5
        redis.zscore("spec:z", "x").should be_nil
        redis.zincrby("spec:z", 0.5, "a").should eq 2.0
        redis.zrank("spec:z", "c").should eq 2
        redis.zrevrank("spec:z", "c").should eq 0
        redis.zrank("spec:z", "x").should be_nil
        redis.zcard("spec:z").should eq 3
        redis.zcount("spec:z", "(2", "+inf").should eq 1
        redis.zrange("spec:z", reverse: true).should eq ["c", "b", "a"]
        redis.zrange_with_scores("spec:z", 0, 0).should eq [{"a", 2.0}]
        redis.zrangebyscore("spec:z", 2, 3, limit: {0, 1}).should eq ["a"]
        redis.zrangebylex("spec:z", "[a", "[b").should be_a Array(String)
        redis.zunionstore("spec:u", "spec:z", "spec:z").should eq 3
        redis.zinterstore("spec:u", "spec:z", "spec:z").should eq 3
        redis.zremrangebyrank("spec:u", 0, 0).should eq 1
        redis.zremrangebyscore("spec:u", "-inf", "+inf").should eq 2
        redis.zpopmin("spec:z").should eq [{"a", 2.0}]
        redis.zpopmax("spec:z", 2).should eq [{"c", 3.0}, {"b", 2.0}]
        redis.zrem("spec:z", "a").should eq 0
      end
    end

    it "has scripts" do
      with_redis(query) do |redis|
        redis.eval("return {KEYS[1], ARGV[1], 7}", ["spec:a"], ["x"]).should eq ["spec:a", "x", 7_i64] of RedisClient::Value
        sha = redis.script_load("return 1")
        redis.evalsha(sha).should eq 1
        redis.script_exists(sha, "0" * 40).should eq [true, false]
        expect_raises(RedisClient::NoScriptError) { redis.evalsha("0" * 40) }
        script = RedisClient::Script.new("return redis.call('INCRBY', KEYS[1], ARGV[1]) -- #{Random.rand}")
        script.call(redis, ["spec:n"], [2]).should eq 2
        script.call(redis, ["spec:n"], [2]).should eq 4
      end
    end

    it "has the server's" do
      with_redis(query) do |redis|
        redis.ping.should eq "PONG"
        redis.echo("hi").should eq "hi"
        redis.info("server").should contain "redis_version"
        redis.config_get("maxmemory").keys.should eq ["maxmemory"]
        redis.time.size.should eq 2
        redis.publish("spec:nobody", "x").should eq 0
        redis.call(RedisClient::Value, "COMMAND", "COUNT").should be_a Int64
      end
    end

    it "raises typed errors and goes on" do
      with_redis(query) do |redis|
        redis.rpush("spec:l", "a")
        expect_raises(RedisClient::WrongTypeError) { redis.get("spec:l") }
        expect_raises(RedisClient::ServerError, /unknown command/) { redis.call(RedisClient::Value, "NOSUCH") }
        redis.ping.should eq "PONG"
      end
    end
  end
end
