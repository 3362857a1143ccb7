module RedisClient
  # Takes the commands of a pipeline or a transaction, without replies: each method returns nil.
  class Batch
    include Commands

    @open = true

    def initialize(@output : Output)
    end

    # Hands one command over. It leaves when the buffer is full, or at the end of the batch.
    def call(type : T.class, *arguments) : Nil forall T
      raise Error.new("this pipeline has ended") unless @open
      @output.command(*arguments)
    end

    # :nodoc:
    def finish : Nil
      @open = false
    end
  end
end
