module RedisClient
  # What a reply can be. RESP3's sets are arrays; its maps are hashes; its big numbers and verbatim
  # strings are strings. A `ServerError` is here because a reply inside an array, or in a pipeline
  # that asked for it, may be one.
  alias Value = Nil | Int64 | String | Bool | Float64 | ServerError | Array(Value) | Hash(Value, Value)

  # Data that the server sent without being asked (RESP3).
  record Push, items : Array(Value)
end
