require "./spec_helper"

private ANSWERS = 100_000

# Answers each GET with a line, and reads no more while the client does not read: what Redis would do
# without memory for replies.
private def stubborn(socket : TCPSocket) : Nil
  socket.sync = false
  buffer = Bytes.new(4096)
  pending = 0
  while (count = socket.read(buffer)) > 0
    pending += count
    # `*2\r\n$3\r\nGET\r\n$3\r\nfoo\r\n` has 22 bytes.
    while pending >= 22
      pending -= 22
      socket << "$3\r\nbar\r\n"
    end
    socket.flush
  end
end

# The class of error that a pipeline of 90 bytes ends in.
private def redis_error(redis) : Exception.class | Nil
  redis.pipeline { |pipe| 3.times { pipe.set "fo", "bar" } }
  nil
rescue error
  error.class
end

describe RedisClient::Connection do
  it "pipelines" do
    with_redis do |redis|
      redis.pipeline do |pipe|
        pipe.set "spec:a", 1
        pipe.incr "spec:a"
        pipe.get "spec:none"
      end.should eq ["OK", 2_i64, nil] of RedisClient::Value
      redis.pipeline { }.should be_empty
    end
  end

  it "gives each reply of a long pipeline, after the last command" do
    with_redis do |redis|
      handed_over = 0
      sum = 0_i64
      redis.pipeline(each: ->(reply : RedisClient::Value) { handed_over.should eq ANSWERS; sum += reply.as(Int64); nil }) do |pipe|
        ANSWERS.times { pipe.incr "spec:n"; handed_over += 1 }
      end
      sum.should eq ANSWERS.to_i64 * (ANSWERS + 1) // 2
      redis.ping.should eq "PONG"
    end
  end

  it "does not wait for ever when the buffers on both sides are full" do
    ScriptedServer.run(->stubborn(TCPSocket)) do |url|
      redis = RedisClient.connect("#{url}?timeout=20")
      replies = 0
      redis.pipeline(each: ->(reply : RedisClient::Value) { replies += 1 if reply == "bar"; nil }) do |pipe|
        1_000_000.times { pipe.get "foo" }
      end
      replies.should eq 1_000_000
      redis.close
    end
  end

  it "raises the first error of a pipeline once all replies are read" do
    with_redis do |redis|
      expect_raises(RedisClient::WrongTypeError) do
        redis.pipeline do |pipe|
          pipe.rpush "spec:l", "a"
          pipe.get "spec:l"
          pipe.set "spec:b", 1
        end
      end
      redis.get("spec:b").should eq "1"
      replies = redis.pipeline(raise_errors: false) { |pipe| pipe.get "spec:l"; pipe.ping }
      replies[0].should be_a RedisClient::WrongTypeError
      replies[1].should eq "PONG"
    end
  end

  it "stays of use when a pipeline's block raises" do
    with_redis do |redis|
      {1, 50_000}.each do |commands|
        expect_raises(DivisionByZeroError) do
          redis.pipeline { |pipe| commands.times { pipe.incr "spec:n" }; raise DivisionByZeroError.new if commands > 0 }
        end
        redis.ping.should eq "PONG"
      end
    end
  end

  it "refuses commands in the wrong place" do
    with_redis do |redis|
      late = nil
      expect_raises(RedisClient::Error, /in use/) { redis.pipeline { |pipe| late = pipe; redis.get "spec:a" } }
      expect_raises(RedisClient::Error, /ended/) { late.not_nil!.get "spec:a" }
      redis.ping.should eq "PONG"
    end
  end

  it "carries out transactions" do
    with_redis do |redis|
      redis.multi { |t| t.set "spec:a", 1; t.incr "spec:a" }.should eq ["OK", 2_i64] of RedisClient::Value
      expect_raises(RedisClient::ServerError, /wrong number/) { redis.multi { |t| t.call(Nil, "GET") } }
      expect_raises(RedisClient::WrongTypeError) { redis.multi { |t| t.lpush "spec:a", 1 } }
      {1, 50_000}.each do |commands|
        expect_raises(DivisionByZeroError) do
          redis.multi { |t| commands.times { t.incr "spec:n" }; raise DivisionByZeroError.new if commands > 0 }
        end
      end
      redis.get("spec:n").should be_nil
    end
  end

  it "does nothing in a transaction whose watched key changed" do
    with_redis do |redis|
      with_redis do |other|
        redis.watch "spec:a"
        other.set "spec:a", "theirs"
        redis.multi { |t| t.set "spec:a", "ours" }.should be_nil
        redis.watch "spec:a"
        redis.unwatch
        redis.multi { |t| t.get "spec:a" }.should eq ["theirs"] of RedisClient::Value
      end
    end
  end

  {"", "?protocol=3"}.each do |query|
    it "publishes and subscribes#{query}" do
      with_redis(query) do |redis|
        seen = [] of RedisClient::Message
        spawn do
          other = RedisClient.connect(RedisServer.url)
          until other.publish("spec:news", "hello") == 2
            sleep 0.01
          end
          other.publish("spec:news", "bye")
        end
        redis.subscribe("spec:news") do |subscription|
          subscription.psubscribe("spec:n*")
          subscription.each do |message|
            seen << message
            if seen.count(&.payload.==("bye")) == 2
              subscription.unsubscribe
              subscription.punsubscribe
            end
          end
        end
        seen.last(2).map(&.pattern).should eq [nil, "spec:n*"]
        seen.all? { |message| message.channel == "spec:news" }.should be_true
        redis.subscribe("spec:quiet", &.receive(timeout: 10.milliseconds)).should be_nil
        redis.ping.should eq "PONG"
      end
    end
  end

  it "authenticates and selects" do
    url, process = RedisServer.start_with("--requirepass", "se cret")
    expect_raises(RedisClient::AuthenticationError) { RedisClient.connect(url).ping }
    expect_raises(RedisClient::AuthenticationError) { RedisClient.connect(url.sub("//", "//:wrong@")) }
    expect_raises(RedisClient::AuthenticationError) { RedisClient.connect(url.sub("//", "//:wrong@") + "?protocol=3") }
    {"", "?protocol=3&name=spec"}.each do |query|
      redis = RedisClient.connect(url.sub("//", "//:se%20cret@") + "/2#{query}")
      redis.set "spec:a", 1
      redis.call(RedisClient::Value, "SELECT", 0)
      redis.exists?("spec:a").should be_false
      redis.close
    end
    process.terminate
    process.wait
  end

  it "connects by a Unix socket" do
    path = File.tempname("redis", ".sock")
    _, process = RedisServer.start_with("--unixsocket", path)
    RedisClient.connect("unix://#{path}").ping.should eq "PONG"
    process.terminate
    process.wait
  end

  it "connects anew after the server went away" do
    url, process = RedisServer.start_with
    redis = RedisClient.connect(url)
    redis.ping
    process.terminate
    process.wait
    expect_raises(RedisClient::ConnectionError) { redis.ping }
    expect_raises(RedisClient::ConnectionError) { redis.ping }
    port = url.rpartition(':')[2]
    again = Process.new("redis-server", ["--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no"])
    RedisServer.wait_for(port.to_i)
    redis.ping.should eq "PONG"
    again.terminate
    again.wait
  end

  it "finds out by itself that an idle connection was closed" do
    with_redis do |redis|
      with_redis do |other|
        id = redis.call(RedisClient::Value, "CLIENT", "ID")
        other.call(RedisClient::Value, "CLIENT", "KILL", "ID", id.as(Int64))
        sleep RedisClient::Connection::IDLE_LIMIT + 100.milliseconds
        redis.ping.should eq "PONG"
      end
    end
  end

  it "names who does not answer" do
    port = RedisServer.free_port
    expect_raises(RedisClient::ConnectionError, "127.0.0.1:#{port}") { RedisClient.connect("redis://127.0.0.1:#{port}") }
    expect_raises(RedisClient::ConnectionError, "no.such.invalid") { RedisClient.connect("redis://no.such.invalid") }
    expect_raises(RedisClient::ConnectionError) { RedisClient.connect("unix:///nowhere/redis.sock") }
  end

  it "gives up on a silent server, and does not take a late reply for another's" do
    answers = 0
    script = ->(socket : TCPSocket) do
      socket.gets(chomp: true)
      sleep 0.2 if (answers += 1) == 1
      socket << "+#{answers}\r\n"
      sleep 1
    end
    ScriptedServer.run(script) do |url|
      redis = RedisClient.connect("#{url}?timeout=0.05")
      expect_raises(RedisClient::TimeoutError) { redis.ping }
      redis.ping.should eq "2"
    end
  end

  it "says that a server is too old for RESP3" do
    ScriptedServer.run(->(socket : TCPSocket) { socket.gets; socket << "-ERR unknown command 'HELLO'\r\n"; sleep 1 }) do |url|
      expect_raises(RedisClient::UnsupportedProtocolError, /RESP3/) { RedisClient.connect("#{url}?protocol=3") }
    end
  end

  it "raises a typed error for an error in the middle, for garbage and for an end" do
    {
      "+OK\r\n-OOM command not allowed\r\n+OK\r\n" => RedisClient::OutOfMemoryError,
      "+OK\r\nHTTP/1.1 400 Bad Request\r\n"        => RedisClient::ProtocolError,
      "+OK\r\n"                                    => RedisClient::ConnectionError,
    }.each do |answer, error|
      script = ->(socket : TCPSocket) do
        # All that was sent is read, or the close is a reset that destroys the answer.
        90.times { socket.read_byte }
        socket << answer
        socket.flush
      end
      ScriptedServer.run(script) do |url|
        redis = RedisClient.connect(url)
        redis_error(redis).should eq error
      end
    end
  end

  it "speaks TLS" do
    directory = File.tempname("redis-tls")
    Dir.mkdir(directory)
    key, certificate = "#{directory}/key.pem", "#{directory}/cert.pem"
    Process.run("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate]).success?.should be_true
    port = RedisServer.free_port
    _, process = RedisServer.start_with("--tls-port", port.to_s, "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-auth-clients", "no")
    RedisServer.wait_for(port)
    redis = RedisClient.connect("rediss://localhost:#{port}?ca=#{URI.encode_path(certificate)}")
    replies = 0
    redis.pipeline(each: ->(reply : RedisClient::Value) { replies += 1; nil }) { |pipe| 50_000.times { pipe.set "spec:a", "x" * 50 } }
    replies.should eq 50_000
    redis.get("spec:a").should eq "x" * 50
    expect_raises(RedisClient::ConnectionError, /TLS/) { RedisClient.connect("rediss://localhost:#{port}") }
    RedisClient.connect("rediss://localhost:#{port}?verify=none").ping.should eq "PONG"
    process.terminate
    process.wait
  end
end
