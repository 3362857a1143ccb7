require "./redis-client/version"
require "./redis-client/errors"
require "./redis-client/value"
require "./redis-client/options"
require "./redis-client/output"
require "./redis-client/input"
require "./redis-client/parser"
require "./redis-client/convert"
require "./redis-client/commands"
require "./redis-client/transport"
require "./redis-client/read_ahead"
require "./redis-client/batch"
require "./redis-client/connection"
require "./redis-client/subscription"
require "./redis-client/pool"
require "./redis-client/client"

# A client for Redis and what speaks its protocol.
#
# ```
# redis = RedisClient.connect("redis://127.0.0.1:6379")
# redis.set "greeting", "hello"
# redis.get "greeting" # => "hello"
# ```
module RedisClient
  # One connection, for one fiber at a time.
  def self.connect(url : String = Options::DEFAULT_URL) : Connection
    Connection.new(Options.parse(url))
  end

  # A pool of connections, for as many fibers as there are.
  def self.new(url : String = Options::DEFAULT_URL) : Client
    Client.new(Options.parse(url))
  end
end
