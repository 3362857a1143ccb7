require "./commands/*"

module RedisClient
  # The commands as methods. Whoever includes it has `call(type, *arguments)`: a `Connection` or `Client`
  # sends the command and returns its reply as *type*; a `Batch` only hands it over and returns nil.
  #
  # A command that has no method here goes out by `call(RedisClient::Value, "COMMAND", ...)`.
  module Commands
    include Convert

    alias Data = String | Bytes | Int::Primitive | Float::Primitive

    include Strings
    include Keys
    include Hashes
    include Lists
    include Sets
    include SortedSets
    include Scripting
    include Server

    # :nodoc: whole seconds or milliseconds of a time span
    def self.seconds(span : Time::Span) : Int64
      span.total_seconds.to_i64
    end

    # :nodoc:
    def self.seconds(number : Int) : Int64
      number.to_i64
    end

    # :nodoc:
    def self.milliseconds(span : Time::Span) : Int64
      span.total_milliseconds.to_i64
    end

    # :nodoc:
    def self.milliseconds(number : Int) : Int64
      number.to_i64
    end
  end
end
