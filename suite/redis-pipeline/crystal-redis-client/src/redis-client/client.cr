module RedisClient
  # A pool of connections with the methods of one: each call takes a connection for as long as it needs it.
  class Client
    include Commands

    getter options : Options

    # Connects when the first command is called.
    def initialize(@options : Options)
      @pool = Pool.new(@options)
    end

    # See `Connection#call`.
    def call(type : T.class, *arguments) : T forall T
      @pool.checkout(&.call(type, *arguments))
    end

    # See `Connection#pipeline`.
    def pipeline(*, raise_errors = true, & : Batch ->) : Array(Value)
      @pool.checkout(&.pipeline(raise_errors: raise_errors) { |batch| yield batch })
    end

    # :ditto:
    def pipeline(*, each : Value ->, raise_errors = true, & : Batch ->) : Nil
      @pool.checkout(&.pipeline(each: each, raise_errors: raise_errors) { |batch| yield batch })
    end

    # See `Connection#multi`.
    def multi(*, raise_errors = true, & : Batch ->) : Array(Value)?
      @pool.checkout(&.multi(raise_errors: raise_errors) { |batch| yield batch })
    end

    # Yields a connection to keep for some commands: `watch` and `multi` want the same one.
    def checkout(& : Connection -> T) : T forall T
      @pool.checkout { |connection| yield connection }
    end

    # Listens on a connection of its own. See `Subscription`.
    def subscribe(*channels : String, & : Subscription ->) : Nil
      Connection.new(@options).subscribe(*channels) { |subscription| yield subscription }
    end

    # The same with patterns.
    def psubscribe(*patterns : String, & : Subscription ->) : Nil
      Connection.new(@options).psubscribe(*patterns) { |subscription| yield subscription }
    end

    # All keys that match, a page at a time.
    def each_key(match : String? = nil, count : Int? = nil, & : String ->) : Nil
      cursor = "0"
      loop do
        cursor, keys = scan(cursor, match: match, count: count)
        keys.each { |key| yield key }
        break if cursor == "0"
      end
    end

    def close : Nil
      @pool.close
    end
  end
end
