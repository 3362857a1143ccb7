module RedisClient
  # Whatever this library raises.
  class Error < Exception
  end

  # The URL or an option makes no sense.
  class ConfigurationError < Error
  end

  # The connection could not be made, or broke. A command under way may have been carried out.
  class ConnectionError < Error
  end

  # Nothing came, or nothing could be sent, within the time allowed. The connection is closed by it,
  # since a late reply would be taken for the next command's.
  class TimeoutError < ConnectionError
  end

  # All connections of the pool stayed in use for the time allowed.
  class PoolTimeoutError < Error
  end

  # The server sent what is not RESP, or not what the command can answer.
  class ProtocolError < Error
  end

  # The server does not speak the protocol version asked for.
  class UnsupportedProtocolError < ConnectionError
  end

  # An error reply. `code` is its first word.
  class ServerError < Error
    getter code : String

    def initialize(message : String)
      @code = message.partition(' ')[0]
      super(message)
    end

    # The error class that fits the reply's first word.
    def self.for(message : String) : ServerError
      case message.partition(' ')[0]
      when "NOAUTH", "WRONGPASS", "NOPERM" then AuthenticationError.new(message)
      when "WRONGTYPE"                     then WrongTypeError.new(message)
      when "NOSCRIPT"                      then NoScriptError.new(message)
      when "EXECABORT"                     then TransactionError.new(message)
      when "OOM"                           then OutOfMemoryError.new(message)
      when "READONLY"                      then ReadOnlyError.new(message)
      when "LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN"
        UnavailableError.new(message)
      else
        ServerError.new(message)
      end
    end
  end

  # Not authenticated, or not allowed to.
  class AuthenticationError < ServerError
  end

  # The key holds another kind of value.
  class WrongTypeError < ServerError
  end

  # EVALSHA names a script that the server does not have.
  class NoScriptError < ServerError
  end

  # EXEC refused the transaction because one of its commands was wrong.
  class TransactionError < ServerError
  end

  # The server's `maxmemory` is reached.
  class OutOfMemoryError < ServerError
  end

  # A write went to a replica.
  class ReadOnlyError < ServerError
  end

  # The server cannot answer for now; asking again later is sensible.
  class UnavailableError < ServerError
  end
end
