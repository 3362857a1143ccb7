module RedisClient::Commands::SortedSets
  # How many of the members are new.
  def zadd(key, score : Number, member)
    call(Int64, "ZADD", key, score, member)
  end

  # *scores* is a hash of members and their scores.
  def zadd(key, scores : Hash, *, nx = false, xx = false, gt = false, lt = false, changed = false)
    call(Int64, "ZADD", key, ("NX" if nx), ("XX" if xx), ("GT" if gt), ("LT" if lt), ("CH" if changed),
      scores.map { |member, score| {score, member} })
  end

  def zincrby(key, amount : Number, member)
    call(Float64, "ZINCRBY", key, amount, member)
  end

  def zscore(key, member)
    call(Convert::Number, "ZSCORE", key, member)
  end

  def zrank(key, member)
    call(Convert::Integer, "ZRANK", key, member)
  end

  def zrevrank(key, member)
    call(Convert::Integer, "ZREVRANK", key, member)
  end

  def zcard(key)
    call(Int64, "ZCARD", key)
  end

  # Bounds as Redis writes them: numbers, `"(5"` for exclusive, `"-inf"`, `"+inf"`.
  def zcount(key, min, max)
    call(Int64, "ZCOUNT", key, min, max)
  end

  def zrem(key, *members)
    call(Int64, "ZREM", key, members)
  end

  def zrange(key, first : Int = 0, last : Int = -1, *, reverse = false)
    call(Convert::Texts, "ZRANGE", key, first, last, ("REV" if reverse))
  end

  # Members with their scores.
  def zrange_with_scores(key, first : Int = 0, last : Int = -1, *, reverse = false)
    call(Convert::Scores, "ZRANGE", key, first, last, ("REV" if reverse), "WITHSCORES")
  end

  def zrangebyscore(key, min, max, *, limit : {Int32, Int32}? = nil)
    call(Convert::Texts, "ZRANGEBYSCORE", key, min, max, limit.try { |(offset, count)| {"LIMIT", offset, count} })
  end

  def zrangebylex(key, min, max)
    call(Convert::Texts, "ZRANGEBYLEX", key, min, max)
  end

  def zremrangebyscore(key, min, max)
    call(Int64, "ZREMRANGEBYSCORE", key, min, max)
  end

  def zremrangebyrank(key, first : Int, last : Int)
    call(Int64, "ZREMRANGEBYRANK", key, first, last)
  end

  def zpopmin(key, count : Int = 1)
    call(Convert::Scores, "ZPOPMIN", key, count)
  end

  def zpopmax(key, count : Int = 1)
    call(Convert::Scores, "ZPOPMAX", key, count)
  end

  def zunionstore(destination, *keys)
    call(Int64, "ZUNIONSTORE", destination, keys.size, keys)
  end

  def zinterstore(destination, *keys)
    call(Int64, "ZINTERSTORE", destination, keys.size, keys)
  end
end
