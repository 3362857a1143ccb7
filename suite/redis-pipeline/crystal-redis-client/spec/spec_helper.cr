require "spec"
require "../src/redis-client"
require "./support/*"

# A connection to the specs' server, its keys gone before and after.
def with_redis(query = "", &)
  redis = RedisClient.connect("#{RedisServer.url}#{query}")
  clean(redis)
  begin
    yield redis
  ensure
    clean(redis)
    redis.close
  end
end

def clean(redis) : Nil
  keys = redis.keys("spec:*")
  redis.del(keys) unless keys.empty?
end

# The reply that *bytes* are parsed to.
def parse(bytes : String) : RedisClient::Value | RedisClient::Push
  RedisClient::Parser.new(RedisClient::Input.new(IO::Memory.new(bytes))).read
end
