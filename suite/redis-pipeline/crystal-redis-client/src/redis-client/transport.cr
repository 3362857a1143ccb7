require "socket"
require "openssl"

module RedisClient
  # An open, greeted connection: the socket and the buffers on its two sides.
  class Transport
    getter input : Input
    getter output : Output
    getter parser : Parser
    getter? closed = false

    # Bytes of a batch that may be under way before replies are read as well. Every kernel's socket
    # buffers hold as much, so that a write of it never waits for a read of ours.
    SAFE_BYTES = Output::CAPACITY

    @socket : TCPSocket | UNIXSocket
    @io : IO
    @read_ahead : ReadAhead?
    @batch : {commands: Int64, bytes: Int64}?
    # Replies that had to be parsed while commands were still being sent (TLS only), and how many they were.
    @early = Deque(Value).new
    @early_read = 0_i64

    # Raises `ConnectionError` where nobody answers, `AuthenticationError` and `ServerError` where
    # the server refuses.
    def initialize(@options : Options)
      @socket = open_socket
      @io = @options.tls? ? start_tls(@socket) : @socket
      @input = Input.new(@io)
      @parser = Parser.new(@input)
      # The procedure cannot hold self before all variables are set.
      batch_write = ->{}
      @output = Output.new(@io) { batch_write.call }
      batch_write = ->{ read_while_writing }
      greet
    end

    def close : Nil
      return if @closed
      @closed = true
      @io.close
    rescue IO::Error | OpenSSL::Error
      # It is closed all the same.
    end

    # The next reply. Pushed data that nobody subscribed to is skipped.
    def read : Value
      @early.empty? ? parse : @early.shift
    end

    # One command and its reply; an error reply is raised.
    def ask(*arguments) : Value
      @output.command(*arguments)
      @output.flush
      reply = read
      raise reply if reply.is_a?(ServerError)
      reply
    end

    # Commands that the block renders may fill the socket's buffers on both sides: until it ends,
    # replies are read, not used, as far as it takes to go on writing.
    def batch(&) : Nil
      @batch = {commands: @output.commands, bytes: @output.bytes_sent}
      @early_read = 0_i64
      begin
        yield
      ensure
        end_batch
      end
    end

    # Replies can be read again: nothing reads ahead any more.
    def end_batch : Nil
      @batch = nil
      @read_ahead.try &.stop
      @read_ahead = nil
    end

    # Waits for the first byte of something: true if it came within *timeout* (nil: for ever).
    def wait(timeout : Time::Span?) : Bool
      return true if @input.available > 0
      @socket.read_timeout = timeout
      @input.receive
      true
    rescue TimeoutError
      false
    ensure
      @socket.read_timeout = @options.timeout
    end

    # Whether the other side has closed it, or sent what nobody asked for, while it lay idle.
    def stale? : Bool
      byte = uninitialized UInt8[1]
      # The descriptor does not block. A peek says 0 at the end of the stream, and -1 where nothing waits.
      count = LibC.recv(@socket.fd, byte.to_unsafe.as(Void*), 1, MSG_PEEK)
      count == 0 || (count < 0 && Errno.value != Errno::EAGAIN && Errno.value != Errno::EWOULDBLOCK)
    end

    # The same on every system that Crystal runs on.
    private MSG_PEEK = 2

    private def read_while_writing : Nil
      return unless (batch = @batch) && @output.bytes_sent - batch[:bytes] >= SAFE_BYTES
      if @options.tls?
        # A TLS session cannot be read and written by two fibers at once, so all replies that are due
        # are read before more is sent. At most one command is then under way, and the server must
        # read that before it answers.
        due = @output.commands_sent - batch[:commands] - @early_read
        due.times { @early << parse }
        @early_read += due
      else
        @read_ahead ||= ReadAhead.new(@socket, @input)
      end
    end

    private def parse : Value
      loop do
        reply = @parser.read
        return reply unless reply.is_a?(Push)
      end
    end

    private def open_socket : TCPSocket | UNIXSocket
      socket =
        if path = @options.socket_path
          UNIXSocket.new(path)
        else
          TCPSocket.new(@options.host, @options.port, connect_timeout: @options.connect_timeout).tap(&.tcp_nodelay = true)
        end
      # The buffers are ours.
      socket.sync = true
      socket.read_buffering = false
      socket.read_timeout = @options.timeout
      socket.write_timeout = @options.timeout
      socket
    rescue error : IO::TimeoutError
      raise TimeoutError.new("#{@options.address} did not answer within #{@options.connect_timeout.total_seconds} s", cause: error)
    rescue error : Socket::Error
      raise ConnectionError.new("cannot connect to #{@options.address}: #{error.message}", cause: error)
    end

    private def start_tls(socket : Socket) : IO
      context = OpenSSL::SSL::Context::Client.new
      context.verify_mode = OpenSSL::SSL::VerifyMode::NONE unless @options.tls_verify?
      @options.tls_ca.try { |file| context.ca_certificates = file }
      tls = OpenSSL::SSL::Socket::Client.new(socket, context, sync_close: true, hostname: @options.host)
      tls.sync = true
      tls.read_buffering = false
      tls
    rescue error : OpenSSL::Error | IO::Error
      socket.close
      raise ConnectionError.new("no TLS with #{@options.address}: #{error.message}", cause: error)
    end

    private def greet : Nil
      case @options.protocol
      when 3 then hello
      else        authenticate
      end
      @options.name.try { |name| ask("CLIENT", "SETNAME", name) }
      ask("SELECT", @options.database) unless @options.database == 0
    rescue error
      close
      raise error
    end

    private def hello : Nil
      credentials = @options.password.try { |password| {"AUTH", @options.username || "default", password} }
      ask("HELLO", 3, credentials)
    rescue error : AuthenticationError
      raise error
    rescue error : ServerError
      raise UnsupportedProtocolError.new("#{@options.address} does not speak RESP3: #{error.message}", cause: error)
    end

    private def authenticate : Nil
      @options.password.try { |password| ask("AUTH", @options.username, password) }
    end
  end
end
