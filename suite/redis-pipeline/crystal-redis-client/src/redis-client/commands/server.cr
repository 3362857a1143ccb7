module RedisClient::Commands::Server
  def ping
    call(String, "PING")
  end

  def echo(text)
    call(String, "ECHO", text)
  end

  def dbsize
    call(Int64, "DBSIZE")
  end

  # Deletes all keys of the connection's database.
  def flushdb
    call(Bool, "FLUSHDB")
  end

  def info(section : String? = nil)
    call(String, "INFO", section)
  end

  def config_get(pattern)
    call(Convert::Fields, "CONFIG", "GET", pattern)
  end

  def config_set(name, value)
    call(Bool, "CONFIG", "SET", name, value)
  end

  # Seconds and microseconds of the server's clock.
  def time
    call(Convert::Texts, "TIME")
  end

  # How many subscribers got it.
  def publish(channel, message)
    call(Int64, "PUBLISH", channel, message)
  end
end
