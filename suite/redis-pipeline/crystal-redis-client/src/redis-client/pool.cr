module RedisClient
  # Connections to share between fibers. One is made when all that exist are in use, up to a limit.
  class Pool
    def initialize(@options : Options)
      @idle = [] of Connection
      @lock = Mutex.new
      # A slot for each connection that may exist; to hold one is to hold its slot.
      @slots = Channel(Nil).new(@options.pool_size)
      @options.pool_size.times { @slots.send(nil) }
      @closed = false
    end

    # Yields a connection that is no one else's until the block ends.
    # Raises `PoolTimeoutError` where none gets free in time.
    def checkout(& : Connection -> T) : T forall T
      raise Error.new("the pool is closed") if @closed
      select
      when @slots.receive
      when timeout(@options.pool_timeout)
        raise PoolTimeoutError.new("all #{@options.pool_size} connections stayed in use for #{@options.pool_timeout.total_seconds} s")
      end
      begin
        # The one used last: those at the bottom may go stale, and are checked then.
        connection = @lock.synchronize { @idle.pop? } || Connection.new(@options, lazy: true)
        begin
          yield connection
        ensure
          @closed ? connection.close : @lock.synchronize { @idle.push(connection) }
        end
      ensure
        @slots.send(nil)
      end
    end

    # Closes what is idle now, and what is in use when it comes back.
    def close : Nil
      @closed = true
      @lock.synchronize do
        @idle.each(&.close)
        @idle.clear
      end
    end
  end
end
