module RedisClient::Commands::Lists
  # The length after it, as with all that push.
  def lpush(key, *values)
    call(Int64, "LPUSH", key, values)
  end

  def rpush(key, *values)
    call(Int64, "RPUSH", key, values)
  end

  def lpushx(key, *values)
    call(Int64, "LPUSHX", key, values)
  end

  def rpushx(key, *values)
    call(Int64, "RPUSHX", key, values)
  end

  def lpop(key)
    call(Convert::Text, "LPOP", key)
  end

  def rpop(key)
    call(Convert::Text, "RPOP", key)
  end

  # Waits up to *timeout* (at most the connection's own) for an item: the key it came from and the item.
  def blpop(*keys, timeout : Time::Span)
    call(Convert::Popped, "BLPOP", keys, timeout.total_seconds)
  end

  # :ditto:
  def brpop(*keys, timeout : Time::Span)
    call(Convert::Popped, "BRPOP", keys, timeout.total_seconds)
  end

  # *from* and *to* are LEFT or RIGHT.
  def lmove(source, destination, from = "LEFT", to = "RIGHT")
    call(Convert::Text, "LMOVE", source, destination, from, to)
  end

  def lrange(key, first : Int = 0, last : Int = -1)
    call(Convert::Texts, "LRANGE", key, first, last)
  end

  def lindex(key, index : Int)
    call(Convert::Text, "LINDEX", key, index)
  end

  def lset(key, index : Int, value)
    call(Bool, "LSET", key, index, value)
  end

  def linsert_before(key, pivot, value)
    call(Int64, "LINSERT", key, "BEFORE", pivot, value)
  end

  def linsert_after(key, pivot, value)
    call(Int64, "LINSERT", key, "AFTER", pivot, value)
  end

  # Takes out *count* items equal to *value*: from the end where negative, all where 0.
  def lrem(key, count : Int, value)
    call(Int64, "LREM", key, count, value)
  end

  def ltrim(key, first : Int, last : Int)
    call(Bool, "LTRIM", key, first, last)
  end

  def llen(key)
    call(Int64, "LLEN", key)
  end

  def lpos(key, value)
    call(Convert::Integer, "LPOS", key, value)
  end
end
