module RedisClient
  # The buffer before the socket. Commands are rendered straight into it, without strings between.
  class Output
    # As much as is handed to the kernel at once.
    CAPACITY = 64 * 1024

    # Commands rendered in full since the connection was made.
    getter commands = 0_i64
    # Commands handed to the socket in full since the connection was made.
    getter commands_sent = 0_i64
    # Bytes handed to the socket since the connection was made.
    getter bytes_sent = 0_i64

    @size = 0

    # *before_write* is called each time before bytes go to *io*.
    def initialize(@io : IO, &@before_write : ->)
      @buffer = Pointer(UInt8).malloc(CAPACITY)
    end

    # Renders one command. An argument is a string, bytes, a number, or a tuple, array or hash of them,
    # which counts as many; nil counts as none.
    def command(*arguments : *T) : Nil forall T
      count = 0
      {% for index in 0...T.size %}
        count &+= arity(arguments[{{ index }}])
      {% end %}
      header('*'.ord.to_u8, count)
      {% for index in 0...T.size %}
        put(arguments[{{ index }}])
      {% end %}
      @commands &+= 1
    end

    def flush : Nil
      return if @size == 0
      @before_write.call
      size, @size = @size, 0
      @bytes_sent &+= size
      write(Slice.new(@buffer, size))
      @commands_sent = @commands
    end

    # Forgets what was rendered and not yet handed to the socket.
    def clear : Nil
      @size = 0
    end

    private def arity(argument : String | Bytes | Int | Float) : Int32
      1
    end

    private def arity(argument : Nil) : Int32
      0
    end

    private def arity(argument : Hash) : Int32
      argument.sum(0) { |key, value| arity(key) + arity(value) }
    end

    private def arity(argument : Tuple) : Int32
      count = 0
      argument.each { |item| count &+= arity(item) }
      count
    end

    private def arity(argument : Indexable | Set) : Int32
      argument.sum(0) { |item| arity(item) }
    end

    private def put(argument : String) : Nil
      bulk(argument.to_unsafe, argument.bytesize)
    end

    private def put(argument : Bytes) : Nil
      bulk(argument.to_unsafe, argument.size)
    end

    private def put(argument : Int) : Nil
      digits = uninitialized UInt8[40]
      text = Output.render(argument, digits.to_slice)
      bulk(text.to_unsafe, text.size)
    end

    private def put(argument : Float) : Nil
      put(argument.to_s)
    end

    private def put(argument : Nil) : Nil
    end

    private def put(argument : Hash) : Nil
      argument.each do |key, value|
        put(key)
        put(value)
      end
    end

    private def put(argument : Tuple) : Nil
      argument.each { |item| put(item) }
    end

    private def put(argument : Indexable | Set) : Nil
      argument.each { |item| put(item) }
    end

    private def bulk(bytes : UInt8*, size : Int32) : Nil
      header('$'.ord.to_u8, size)
      if size &+ 2 <= CAPACITY
        reserve(size &+ 2)
        (@buffer + @size).copy_from(bytes, size)
        @size &+= size
      else
        flush
        @before_write.call
        @bytes_sent &+= size
        write(Slice.new(bytes, size))
      end
      reserve(2)
      line_end
    end

    # The longest header is `$-2147483648\r\n`.
    private def header(kind : UInt8, number : Int32) : Nil
      reserve(16)
      @buffer[@size] = kind
      if number < 10
        @buffer[@size &+ 1] = 48_u8 &+ number.to_u8!
        @size &+= 2
      else
        digits = uninitialized UInt8[40]
        text = Output.render(number, digits.to_slice)
        (@buffer + @size + 1).copy_from(text.to_unsafe, text.size)
        @size &+= text.size &+ 1
      end
      line_end
    end

    private def line_end : Nil
      @buffer[@size] = 13_u8
      @buffer[@size &+ 1] = 10_u8
      @size &+= 2
    end

    private def write(bytes : Bytes) : Nil
      @io.write(bytes)
      @io.flush
    rescue error : IO::TimeoutError
      raise TimeoutError.new("nothing could be sent in time", cause: error)
    rescue error : IO::Error | OpenSSL::Error
      raise ConnectionError.new("sending failed: #{error.message}", cause: error)
    end

    private def reserve(size : Int32) : Nil
      flush if @size &+ size > CAPACITY
    end

    # Decimal digits of *number*, written to the end of *room* (40 bytes hold any integer).
    def self.render(number : Int, room : Bytes) : Bytes
      index = room.size
      rest = number
      loop do
        # `remainder` has the number's sign, so that the least number of a type needs no special case.
        room[index &-= 1] = 48_u8 &+ rest.remainder(10).abs.to_u8!
        rest = rest.tdiv(10)
        break if rest == 0
      end
      room[index &-= 1] = '-'.ord.to_u8 if number < 0
      room[index, room.size &- index]
    end
  end
end
