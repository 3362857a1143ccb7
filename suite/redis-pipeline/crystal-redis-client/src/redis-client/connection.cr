module RedisClient
  # One connection to one server, for one fiber at a time.
  #
  # After an error that leaves it of no use (`ConnectionError`, `ProtocolError`) it is closed, and the next
  # command connects anew. No command is ever sent twice: whether one was carried out before the
  # connection broke is not known, so that is left to the caller.
  class Connection
    include Commands

    # A connection that lay idle for this long is checked before it is used again.
    IDLE_LIMIT = 1.second

    getter options : Options

    @transport : Transport?
    @busy = false
    @used = Time.monotonic

    # Connects at once, unless *lazy*.
    def initialize(@options : Options, *, lazy = false)
      @transport = Transport.new(@options) unless lazy
    end

    # Sends any command and returns its reply as *type*; an error reply is raised.
    def call(type : T.class, *arguments) : T forall T
      reply = exchange { |transport| transport.output.command(*arguments); transport.output.flush; transport.read }
      raise reply if reply.is_a?(ServerError)
      Convert.to(type, reply)
    end

    # Sends the commands that the block gives in one go and returns their replies in order.
    #
    # The first error reply is raised once all replies are read; with `raise_errors: false` it stands among them.
    # Where the block raises, the commands it gave before may have been carried out.
    #
    # ```
    # redis.pipeline do |pipe|
    #   pipe.set "a", 1
    #   pipe.incr "a"
    # end # => ["OK", 2]
    # ```
    def pipeline(*, raise_errors = true, & : Batch ->) : Array(Value)
      replies = [] of Value
      exchange do |transport|
        due = hand_over(transport) { |batch| yield batch }
        collect(transport, due, raise_errors) { |reply| replies << reply }
      end.try { |error| raise error }
      replies
    end

    # The same, but each reply is given to *each* and dropped: for pipelines longer than memory likes.
    # No reply is given before the block has handed over all commands.
    def pipeline(*, each : Value ->, raise_errors = true, & : Batch ->) : Nil
      exchange do |transport|
        due = hand_over(transport) { |batch| yield batch }
        collect(transport, due, raise_errors) { |reply| each.call(reply) }
      end.try { |error| raise error }
    end

    # Carries out the commands that the block gives as one transaction and returns their replies;
    # nil where a key under `watch` has changed. Where the block raises, none is carried out.
    def multi(*, raise_errors = true, & : Batch ->) : Array(Value)?
      refused = nil
      reply = exchange do |transport|
        due = hand_over(transport, transaction: true) { |batch| yield batch }
        # All but the last only say that a command was queued, or why not.
        (due - 1).times do
          queued = transport.read
          refused ||= queued if queued.is_a?(ServerError)
        end
        transport.read
      end
      raise refused || reply if reply.is_a?(ServerError)
      replies = Convert.to(Value, reply).as?(Array(Value))
      replies.try &.each { |item| raise item if item.is_a?(ServerError) } if raise_errors
      replies
    end

    # The next `multi` does nothing if one of the keys changes before it.
    def watch(*keys)
      call(Bool, "WATCH", keys)
    end

    def unwatch
      call(Bool, "UNWATCH")
    end

    # Gives the connection over to messages until the block ends. See `Subscription`.
    def subscribe(*channels : String, & : Subscription ->) : Nil
      listen { |subscription| subscription.subscribe(*channels); yield subscription }
    end

    # The same with patterns.
    def psubscribe(*patterns : String, & : Subscription ->) : Nil
      listen { |subscription| subscription.psubscribe(*patterns); yield subscription }
    end

    def close : Nil
      @transport.try &.close
      @transport = nil
    end

    def closed? : Bool
      @transport.nil?
    end

    private def listen(& : Subscription ->) : Nil
      exchange do |transport|
        yield Subscription.new(transport)
      ensure
        # Messages may still be on their way, and would be taken for replies.
        close
      end
    end

    # Yields the open transport; closes it where what went wrong leaves it of no use.
    private def exchange(& : Transport -> T) : T forall T
      raise Error.new("the connection is in use: inside a pipeline's block, give commands to its argument") if @busy
      transport = ready
      @busy = true
      begin
        yield transport
      rescue error : ConnectionError | ProtocolError
        close
        raise error
      ensure
        @busy = false
        @used = Time.monotonic
      end
    end

    private def ready : Transport
      transport = @transport
      if transport && Time.monotonic - @used > IDLE_LIMIT && transport.stale?
        close
        transport = nil
      end
      transport || (@transport = Transport.new(@options))
    end

    # The number of replies due for what the block handed over.
    private def hand_over(transport : Transport, *, transaction = false, & : Batch ->) : Int64
      output = transport.output
      commands, bytes = output.commands, output.bytes_sent
      batch = Batch.new(output)
      transport.batch do
        output.command("MULTI") if transaction
        yield batch
        output.command("EXEC") if transaction
        output.flush
      rescue error : ConnectionError | ProtocolError
        raise error
      rescue error
        abandon(transport, commands, bytes, transaction)
        raise error
      ensure
        batch.finish
      end
      output.commands - commands
    end

    # The block raised: nothing of it shall be left on the way.
    private def abandon(transport : Transport, commands : Int64, bytes : Int64, transaction : Bool) : Nil
      output = transport.output
      return output.clear if output.bytes_sent == bytes
      output.command("DISCARD") if transaction
      output.flush
      transport.end_batch
      (output.commands - commands).times { transport.read }
    end

    # Reads the replies due; returns the first error reply where errors are to be raised.
    private def collect(transport : Transport, due : Int64, raise_errors : Bool, & : Value ->) : ServerError?
      first_error = nil
      due.times do
        reply = transport.read
        if raise_errors && reply.is_a?(ServerError)
          first_error ||= reply
        else
          yield reply
        end
      end
      transport.input.shrink
      first_error
    end
  end
end
