module RedisClient
  # The buffer behind the socket. The parser reads from it in place; it grows only for `read_ahead`.
  class Input
    CAPACITY       = 64 * 1024
    MAX_LINE_BYTES = CAPACITY // 2

    @start = 0
    @stop = 0

    def initialize(@io : IO)
      @capacity = CAPACITY
      @buffer = Pointer(UInt8).malloc(@capacity)
    end

    # Bytes that have come and are not parsed yet.
    def available : Int32
      @stop &- @start
    end

    # The next line without its end. It lies in the buffer: valid until the next read.
    def line : Bytes
      scanned = @start
      loop do
        while scanned < @stop
          if @buffer[scanned] === '\n'
            if scanned == @start || !(@buffer[scanned &- 1] === '\r')
              raise ProtocolError.new("a line of the reply does not end in CR LF")
            end
            # However much of it has come: what is refused must not depend on that.
            too_long if scanned &- @start > MAX_LINE_BYTES
            line = Slice.new(@buffer + @start, scanned &- 1 &- @start)
            @start = scanned &+ 1
            return line
          end
          scanned &+= 1
        end
        too_long if available > MAX_LINE_BYTES
        scanned &-= @start
        receive
        scanned &+= @start
      end
    end

    # The next *size* bytes as a string, and the line end after them.
    def text(size : Int32) : String
      if size <= CAPACITY &- 2
        need(size &+ 2)
        text = known(Slice.new(@buffer + @start, size))
        @start &+= size
      else
        text = long_text(size)
      end
      line_end
      text
    end

    # Reads what has come, at least one byte, behind what is there already.
    # Raises `ConnectionError`.
    def receive(from io : IO = @io) : Nil
      make_room
      count = io.read(Slice.new(@buffer + @stop, @capacity &- @stop))
      raise ConnectionError.new("the server closed the connection") if count == 0
      @stop &+= count
    rescue error : IO::TimeoutError
      raise TimeoutError.new("no reply in time", cause: error)
    rescue error : IO::Error | OpenSSL::Error
      raise ConnectionError.new("receiving failed: #{error.message}", cause: error)
    end

    # Gives back the memory of a long read-ahead, once it is parsed.
    def shrink : Nil
      return unless @capacity > CAPACITY && available == 0
      @start = @stop = 0
      @capacity = CAPACITY
      @buffer = Pointer(UInt8).malloc(@capacity)
    end

    private def too_long : NoReturn
      raise ProtocolError.new("a line of the reply has more than #{MAX_LINE_BYTES} bytes")
    end

    private def need(size : Int32) : Nil
      while available < size
        receive
      end
    end

    private def make_room : Nil
      @start = @stop = 0 if @start == @stop
      return if @stop < @capacity
      if @start > 0
        @buffer.move_from(@buffer + @start, available)
        @stop &-= @start
        @start = 0
      else
        @capacity *= 2
        @buffer = @buffer.realloc(@capacity)
      end
    end

    private def line_end : Nil
      need(2)
      unless @buffer[@start] === '\r' && @buffer[@start &+ 1] === '\n'
        raise ProtocolError.new("a string of the reply is not followed by CR LF")
      end
      @start &+= 2
    end

    # The server's most frequent answer needs no copy of its own.
    private def known(bytes : Bytes) : String
      bytes == OK ? "OK" : String.new(bytes)
    end

    OK = "OK".to_slice

    # The announced size is not believed before the bytes have come: memory grows with them.
    private def long_text(size : Int32) : String
      text = IO::Memory.new(CAPACITY)
      while text.bytesize < size
        receive if available == 0
        count = Math.min(available, size &- text.bytesize)
        text.write(Slice.new(@buffer + @start, count))
        @start &+= count
      end
      text.to_s
    end
  end
end
