module RedisClient::Commands::Hashes
  def hget(key, field)
    call(Convert::Text, "HGET", key, field)
  end

  # How many of the fields are new.
  def hset(key, field, value)
    call(Int64, "HSET", key, field, value)
  end

  def hset(key, fields : Hash)
    call(Int64, "HSET", key, fields)
  end

  def hsetnx(key, field, value)
    call(Bool, "HSETNX", key, field, value)
  end

  def hmget(key, *fields)
    call(Convert::MaybeTexts, "HMGET", key, fields)
  end

  def hgetall(key)
    call(Convert::Fields, "HGETALL", key)
  end

  def hdel(key, *fields)
    call(Int64, "HDEL", key, fields)
  end

  def hexists(key, field)
    call(Bool, "HEXISTS", key, field)
  end

  def hlen(key)
    call(Int64, "HLEN", key)
  end

  def hstrlen(key, field)
    call(Int64, "HSTRLEN", key, field)
  end

  def hkeys(key)
    call(Convert::Texts, "HKEYS", key)
  end

  def hvals(key)
    call(Convert::Texts, "HVALS", key)
  end

  def hincrby(key, field, amount : Int)
    call(Int64, "HINCRBY", key, field, amount)
  end

  def hincrbyfloat(key, field, amount : Number)
    call(Float64, "HINCRBYFLOAT", key, field, amount)
  end

  # The next cursor and fields and values in turn.
  def hscan(key, cursor = "0", *, match : String? = nil, count : Int? = nil)
    call(Convert::Page, "HSCAN", key, cursor,
      match.try { |pattern| {"MATCH", pattern} },
      count.try { |number| {"COUNT", number} })
  end
end
