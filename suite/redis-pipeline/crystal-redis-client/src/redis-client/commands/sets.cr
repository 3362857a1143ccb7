module RedisClient::Commands::Sets
  # How many of the members are new.
  def sadd(key, *members)
    call(Int64, "SADD", key, members)
  end

  def srem(key, *members)
    call(Int64, "SREM", key, members)
  end

  def smembers(key)
    call(Convert::Texts, "SMEMBERS", key)
  end

  def sismember(key, member)
    call(Bool, "SISMEMBER", key, member)
  end

  def smismember(key, *members)
    call(Convert::Bools, "SMISMEMBER", key, members)
  end

  def scard(key)
    call(Int64, "SCARD", key)
  end

  def spop(key)
    call(Convert::Text, "SPOP", key)
  end

  def srandmember(key)
    call(Convert::Text, "SRANDMEMBER", key)
  end

  def smove(source, destination, member)
    call(Bool, "SMOVE", source, destination, member)
  end

  def sinter(*keys)
    call(Convert::Texts, "SINTER", keys)
  end

  def sunion(*keys)
    call(Convert::Texts, "SUNION", keys)
  end

  def sdiff(*keys)
    call(Convert::Texts, "SDIFF", keys)
  end

  def sinterstore(destination, *keys)
    call(Int64, "SINTERSTORE", destination, keys)
  end

  def sunionstore(destination, *keys)
    call(Int64, "SUNIONSTORE", destination, keys)
  end

  def sdiffstore(destination, *keys)
    call(Int64, "SDIFFSTORE", destination, keys)
  end

  def sscan(key, cursor = "0", *, match : String? = nil, count : Int? = nil)
    call(Convert::Page, "SSCAN", key, cursor,
      match.try { |pattern| {"MATCH", pattern} },
      count.try { |number| {"COUNT", number} })
  end
end
