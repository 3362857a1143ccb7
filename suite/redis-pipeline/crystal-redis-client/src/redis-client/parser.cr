module RedisClient
  # RESP2 and RESP3, read from an `Input`. One call takes one reply; what is not RESP is a `ProtocolError`,
  # after which the connection is of no use.
  class Parser
    # Redis's own limit of a string (proto-max-bulk-len).
    MAX_TEXT_BYTES = 512 * 1024 * 1024
    MAX_DEPTH      = 128
    # No list longer than this is given memory before its items have come.
    TRUSTED_ITEMS = 1024

    def initialize(@input : Input)
    end

    # The next reply, or what was pushed.
    def read : Value | Push
      line = @input.line
      kind, rest = split(line)
      return Push.new(items(length(rest), 1)) if kind === '>'
      value(kind, rest, 0)
    end

    private def nested(depth : Int32) : Value
      raise ProtocolError.new("a reply is nested more than #{MAX_DEPTH} deep") if depth > MAX_DEPTH
      kind, rest = split(@input.line)
      value(kind, rest, depth)
    end

    private def split(line : Bytes) : {UInt8, Bytes}
      raise ProtocolError.new("an empty line where a reply should start") if line.empty?
      {line.to_unsafe[0], Slice.new(line.to_unsafe + 1, line.size &- 1)}
    end

    private def value(kind : UInt8, rest : Bytes, depth : Int32) : Value
      case kind
      when '$' then text(rest)
      when ':' then Parser.integer(rest)
      when '+' then simple(rest)
      when '*' then list(rest, depth)
      when '_' then null(rest)
      else          rare(kind, rest, depth)
      end
    end

    private def rare(kind : UInt8, rest : Bytes, depth : Int32) : Value
      case kind
      when '-' then ServerError.for(String.new(rest))
      when '%' then map(length(rest), depth + 1)
      when '~' then items(length(rest), depth + 1)
      when '#' then boolean(rest)
      when ',' then float(rest)
      when '(' then big_number(rest)
      when '=' then verbatim(rest)
      when '!' then ServerError.for(text(rest) || raise ProtocolError.new("an error reply without a text"))
      when '|'
        # Attributes describe the reply that follows them; nothing here asks for them.
        map(length(rest), depth + 1)
        nested(depth + 1)
      else
        raise ProtocolError.new("a reply cannot start with #{kind.unsafe_chr.inspect}")
      end
    end

    private def text(rest : Bytes) : String?
      size = Parser.integer(rest)
      return nil if size == -1
      raise ProtocolError.new("a string of #{size} bytes") unless 0 <= size <= MAX_TEXT_BYTES
      @input.text(size.to_i32!)
    end

    private def simple(rest : Bytes) : String
      rest == Input::OK ? "OK" : String.new(rest)
    end

    private def null(rest : Bytes) : Nil
      raise ProtocolError.new("a null with something in it") unless rest.empty?
    end

    private def list(rest : Bytes, depth : Int32) : Array(Value)?
      size = Parser.integer(rest)
      return nil if size == -1
      items(checked(size), depth + 1)
    end

    private def length(rest : Bytes) : Int32
      checked(Parser.integer(rest))
    end

    private def checked(size : Int64) : Int32
      raise ProtocolError.new("a list of #{size} items") unless 0 <= size <= Int32::MAX
      size.to_i32!
    end

    private def items(size : Int32, depth : Int32) : Array(Value)
      items = Array(Value).new(Math.min(size, TRUSTED_ITEMS))
      size.times { items << nested(depth) }
      items
    end

    private def map(size : Int32, depth : Int32) : Hash(Value, Value)
      map = Hash(Value, Value).new(initial_capacity: Math.min(size, TRUSTED_ITEMS))
      size.times do
        key = nested(depth)
        map[key] = nested(depth)
      end
      map
    end

    private def boolean(rest : Bytes) : Bool
      return rest.to_unsafe[0] === 't' if rest.size == 1 && rest.to_unsafe[0].unsafe_chr.in?('t', 'f')
      raise ProtocolError.new("a truth value that is neither t nor f")
    end

    private def float(rest : Bytes) : Float64
      # The standard library fails on nothing at all.
      raise ProtocolError.new("a number without digits") if rest.empty?
      case text = String.new(rest)
      when "inf", "+inf" then Float64::INFINITY
      when "-inf"        then -Float64::INFINITY
      when "nan", "-nan" then Float64::NAN
      else
        text.to_f?(whitespace: false) || raise ProtocolError.new("#{text.inspect} is not a number")
      end
    end

    private def big_number(rest : Bytes) : String
      digits = rest.size > 0 && rest.to_unsafe[0].unsafe_chr.in?('-', '+') ? rest + 1 : rest
      raise ProtocolError.new("a big number without digits") if digits.empty? || !digits.all?(&.unsafe_chr.ascii_number?)
      String.new(rest)
    end

    # `=15\r\ntxt:Some string\r\n`: the three letters say how to show it.
    private def verbatim(rest : Bytes) : String
      text = text(rest)
      unless text && text.bytesize >= 4 && text.byte_at(3) === ':'
        raise ProtocolError.new("a verbatim string without its format")
      end
      text.byte_slice(4)
    end

    # A signed 64-bit number in decimal digits.
    def self.integer(digits : Bytes) : Int64
      bytes = digits.to_unsafe
      size = digits.size
      index = 0
      negative = false
      if size > 0 && (bytes[0] === '-' || bytes[0] === '+')
        negative = bytes[0] === '-'
        index = 1
      end
      not_a_number(digits) if index == size || size &- index > 19
      number = 0_u64
      while index < size
        digit = bytes[index] &- 48
        not_a_number(digits) if digit > 9
        number = number &* 10 &+ digit
        index &+= 1
      end
      # Nineteen digits fit an unsigned 64-bit number; the signed range is checked here.
      not_a_number(digits) if number > Int64::MAX.to_u64 &+ (negative ? 1 : 0)
      negative ? 0_i64 &- number.to_i64! : number.to_i64!
    end

    private def self.not_a_number(digits : Bytes) : NoReturn
      raise ProtocolError.new("#{String.new(digits[0, Math.min(digits.size, 40)]).inspect} is not a 64-bit number")
    end
  end
end
