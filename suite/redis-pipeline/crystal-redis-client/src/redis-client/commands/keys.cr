module RedisClient::Commands::Keys
  # How many of the keys there were.
  def del(*keys)
    call(Int64, "DEL", keys)
  end

  # Like `del`, the memory freed later by another thread of the server.
  def unlink(*keys)
    call(Int64, "UNLINK", keys)
  end

  # How many of the keys there are.
  def exists(*keys)
    call(Int64, "EXISTS", keys)
  end

  def exists?(key)
    call(Bool, "EXISTS", key)
  end

  def type(key)
    call(String, "TYPE", key)
  end

  def rename(key, to)
    call(Bool, "RENAME", key, to)
  end

  def renamenx(key, to)
    call(Bool, "RENAMENX", key, to)
  end

  def copy(key, to, replace = false)
    call(Bool, "COPY", key, to, ("REPLACE" if replace))
  end

  # All keys that match: for small databases; see `each_key`.
  def keys(pattern = "*")
    call(Convert::Texts, "KEYS", pattern)
  end

  def randomkey
    call(Convert::Text, "RANDOMKEY")
  end

  def touch(*keys)
    call(Int64, "TOUCH", keys)
  end

  # The next cursor ("0" at the end) and some keys.
  def scan(cursor = "0", *, match : String? = nil, count : Int? = nil, type : String? = nil)
    call(Convert::Page, "SCAN", cursor,
      match.try { |pattern| {"MATCH", pattern} },
      count.try { |number| {"COUNT", number} },
      type.try { |name| {"TYPE", name} })
  end

  # False where there is no such key.
  def expire(key, seconds : Int | Time::Span)
    call(Bool, "EXPIRE", key, Commands.seconds(seconds))
  end

  def pexpire(key, milliseconds : Int | Time::Span)
    call(Bool, "PEXPIRE", key, Commands.milliseconds(milliseconds))
  end

  def expireat(key, time : Time)
    call(Bool, "EXPIREAT", key, time.to_unix)
  end

  def pexpireat(key, time : Time)
    call(Bool, "PEXPIREAT", key, time.to_unix_ms)
  end

  # Seconds to live; -1 for ever, -2 without the key.
  def ttl(key)
    call(Int64, "TTL", key)
  end

  # Milliseconds to live; -1 for ever, -2 without the key.
  def pttl(key)
    call(Int64, "PTTL", key)
  end

  # True where an expiry was taken away.
  def persist(key)
    call(Bool, "PERSIST", key)
  end
end
