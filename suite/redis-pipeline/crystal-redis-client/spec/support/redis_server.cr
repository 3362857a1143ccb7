# The Redis that the specs talk to: one of their own on a free port, started with the first spec that asks
# and stopped at exit, or the one that REDIS_SERVER (a URL) names. That one's data is left alone but for
# keys that start with "spec:".
module RedisServer
  @@url : String?

  def self.url : String
    @@url ||= ENV["REDIS_SERVER"]? || start
  end

  # A free port of this machine.
  def self.free_port : Int32
    TCPServer.open("127.0.0.1", 0, &.local_address.port)
  end

  # Starts a server with *arguments* and returns the URL at which it answers, and its process.
  def self.start_with(*arguments) : {String, Process}
    port = free_port
    process = Process.new("redis-server", ["--bind", "127.0.0.1", "--port", port.to_s, "--save", "", "--appendonly", "no", *arguments])
    at_exit { process.terminate rescue nil }
    wait_for(port)
    {"redis://127.0.0.1:#{port}", process}
  end

  # Returns when something accepts connections at *port*.
  def self.wait_for(port : Int32) : Nil
    100.times do
      TCPSocket.new("127.0.0.1", port).close
      return
    rescue Socket::ConnectError
      sleep 0.05
    end
    raise "redis-server did not start on port #{port}"
  end

  private def self.start : String
    start_with[0]
  end
end
