require "digest/sha1"

module RedisClient::Commands::Scripting
  def eval(script : String, keys : Indexable | Set = [] of String, arguments : Indexable | Set = [] of String)
    call(Value, "EVAL", script, keys.size, keys, arguments)
  end

  # Raises `NoScriptError` where the server does not have it.
  def evalsha(sha : String, keys : Indexable | Set = [] of String, arguments : Indexable | Set = [] of String)
    call(Value, "EVALSHA", sha, keys.size, keys, arguments)
  end

  # The script's SHA1, by which `evalsha` calls it.
  def script_load(script : String)
    call(String, "SCRIPT", "LOAD", script)
  end

  def script_exists(*shas)
    call(Convert::Bools, "SCRIPT", "EXISTS", shas)
  end

  def script_flush
    call(Bool, "SCRIPT", "FLUSH")
  end
end

module RedisClient
  # A script that is sent in full only to a server that does not have it yet.
  #
  # ```
  # TAKE = RedisClient::Script.new("return redis.call('DECRBY', KEYS[1], ARGV[1])")
  # TAKE.call(redis, keys: ["stock"], arguments: ["3"]) # => 7
  # ```
  struct Script
    getter source : String
    getter sha : String

    def initialize(@source : String)
      @sha = Digest::SHA1.hexdigest(@source)
    end

    def call(redis : Connection | Client, keys : Indexable | Set = [] of String, arguments : Indexable | Set = [] of String) : Value
      redis.evalsha(@sha, keys, arguments)
    rescue NoScriptError
      redis.eval(@source, keys, arguments)
    end
  end
end
