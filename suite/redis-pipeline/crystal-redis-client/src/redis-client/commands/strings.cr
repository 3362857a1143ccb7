module RedisClient::Commands::Strings
  # The value, or nil where there is none.
  def get(key)
    call(Convert::Text, "GET", key)
  end

  # True, or false where *nx* or *xx* kept the value from being set.
  def set(key, value)
    call(Bool, "SET", key, value)
  end

  # :ditto:
  def set(key, value, *, ex : Int | Time::Span | Nil = nil, px : Int | Time::Span | Nil = nil, nx = false, xx = false, keep_ttl = false)
    call(Bool, "SET", key, value,
      ex.try { |span| {"EX", Commands.seconds(span)} },
      px.try { |span| {"PX", Commands.milliseconds(span)} },
      ("NX" if nx), ("XX" if xx), ("KEEPTTL" if keep_ttl))
  end

  # Sets the value, returns the one before.
  def getset(key, value)
    call(Convert::Text, "SET", key, value, "GET")
  end

  def getdel(key)
    call(Convert::Text, "GETDEL", key)
  end

  # Returns the value and changes when it expires.
  def getex(key, *, ex : Int | Time::Span | Nil = nil, px : Int | Time::Span | Nil = nil, persist = false)
    call(Convert::Text, "GETEX", key,
      ex.try { |span| {"EX", Commands.seconds(span)} },
      px.try { |span| {"PX", Commands.milliseconds(span)} },
      ("PERSIST" if persist))
  end

  def setnx(key, value)
    call(Bool, "SETNX", key, value)
  end

  def setex(key, seconds : Int | Time::Span, value)
    call(Bool, "SETEX", key, Commands.seconds(seconds), value)
  end

  def mget(*keys)
    call(Convert::MaybeTexts, "MGET", keys)
  end

  def mset(values : Hash)
    call(Bool, "MSET", values)
  end

  # False where one of the keys existed; then none is set.
  def msetnx(values : Hash)
    call(Bool, "MSETNX", values)
  end

  def incr(key)
    call(Int64, "INCR", key)
  end

  def decr(key)
    call(Int64, "DECR", key)
  end

  def incrby(key, amount : Int)
    call(Int64, "INCRBY", key, amount)
  end

  def decrby(key, amount : Int)
    call(Int64, "DECRBY", key, amount)
  end

  def incrbyfloat(key, amount : Number)
    call(Float64, "INCRBYFLOAT", key, amount)
  end

  def append(key, value)
    call(Int64, "APPEND", key, value)
  end

  def strlen(key)
    call(Int64, "STRLEN", key)
  end

  def getrange(key, first : Int, last : Int)
    call(String, "GETRANGE", key, first, last)
  end

  def setrange(key, offset : Int, value)
    call(Int64, "SETRANGE", key, offset, value)
  end

  def setbit(key, offset : Int, bit : Int)
    call(Int64, "SETBIT", key, offset, bit)
  end

  def getbit(key, offset : Int)
    call(Int64, "GETBIT", key, offset)
  end

  def bitcount(key)
    call(Int64, "BITCOUNT", key)
  end
end
