module RedisClient
  # What was published. *pattern* is there where a pattern matched the channel.
  record Message, channel : String, payload : String, pattern : String?

  # A connection that listens.
  #
  # ```
  # redis.subscribe("news") do |subscription|
  #   subscription.each do |message|
  #     puts message.payload
  #     subscription.unsubscribe if message.payload == "bye"
  #   end
  # end
  # ```
  class Subscription
    # Channels and patterns subscribed to, as far as the server has confirmed them.
    getter count = 0_i64

    # Changes asked for and not confirmed yet.
    @pending = 0

    # :nodoc:
    def initialize(@transport : Transport)
    end

    def subscribe(*channels : String) : Nil
      change("SUBSCRIBE", channels, channels.size)
    end

    def psubscribe(*patterns : String) : Nil
      change("PSUBSCRIBE", patterns, patterns.size)
    end

    # From all channels where none is named.
    def unsubscribe(*channels) : Nil
      change("UNSUBSCRIBE", channels, 1)
    end

    # :ditto:
    def punsubscribe(*patterns) : Nil
      change("PUNSUBSCRIBE", patterns, 1)
    end

    # Yields each message until nothing is subscribed to any more.
    def each(& : Message ->) : Nil
      while message = receive
        yield message
      end
    end

    # The next message; nil where none came within *timeout*, or nothing is subscribed to any more.
    def receive(timeout : Time::Span? = nil) : Message?
      until @count == 0 && @pending <= 0
        return nil unless @transport.wait(timeout)
        message = take
        return message if message
      end
    end

    private def change(command : String, names : Tuple, confirmations : Int32) : Nil
      @pending += confirmations
      @transport.output.command(command, names)
      @transport.output.flush
    end

    private def take : Message?
      reply = @transport.parser.read
      raise reply if reply.is_a?(ServerError)
      items = reply.is_a?(Push) ? reply.items : reply.as?(Array(Value))
      raise ProtocolError.new("not a message: #{reply.inspect}") unless items && items.size >= 3
      case items[0]
      when "message"
        Message.new(items[1].to_s, items[2].to_s, nil)
      when "pmessage"
        raise ProtocolError.new("a pmessage of #{items.size} parts") unless items.size == 4
        Message.new(items[2].to_s, items[3].to_s, items[1].to_s)
      else
        @pending -= 1
        @count = Convert.to(Int64, items[2])
        nil
      end
    end
  end
end
