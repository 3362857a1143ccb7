require "socket"

module RedisClient
  # :nodoc: what Crystal's own LibC leaves out
  lib LibDescriptor
    fun dup(descriptor : LibC::Int) : LibC::Int
  end

  # Reads replies while the connection's own fiber waits to write.
  #
  # A server that answers while it reads stops reading once its answers fill the buffers of both sockets;
  # a client that only writes then waits for ever. This fiber runs just when the writer has to wait, and
  # keeps what comes, unparsed, in the input buffer.
  #
  # It waits on a duplicate of the descriptor: closing that ends the wait without touching the connection.
  class ReadAhead
    def initialize(socket : Socket, @input : Input)
      descriptor = LibDescriptor.dup(socket.fd)
      raise ConnectionError.new("no descriptor left to read ahead with") if descriptor < 0
      @double = Socket.new(descriptor, socket.family, socket.type, socket.protocol)
      @double.read_buffering = false
      @ended = Channel(Nil).new(1)
      # On the writer's thread: the two take turns, and share the buffer without a lock.
      spawn(same_thread: true) { run }
    end

    # Returns once the fiber has ended.
    def stop : Nil
      @double.close
      @ended.receive
    end

    private def run : Nil
      loop { @input.receive(from: @double) }
    rescue ConnectionError
      # Stopped; or the connection broke, which its own fiber will find too.
    ensure
      @ended.send(nil)
    end
  end
end
