# The study's Redis pipeline with this shard.
require "../src/redis-client"
require "./options"
require "./digest"
require "./study"

def give_up(error) : NoReturn
  STDERR.puts "crystal-redis-client: #{error.message}"
  exit 1
end

options = begin
  Bench::Options.new(ARGV)
rescue error : ArgumentError | OptionParser::Exception
  give_up(error)
end

begin
  redis = RedisClient.connect("redis://#{options.host}:#{options.port}?timeout=0")
  digest = Bench::Digest.new
  commands = 0
  use = if options.verify?
          ->(reply : RedisClient::Value) { commands += 1; digest.add(reply) }
        else
          ->(reply : RedisClient::Value) { commands += 1; nil }
        end

  wall = Time.measure do
    options.rounds.times do
      study = Bench::Study.new(options.iterations)
      until study.ended?
        {% if flag?(:each) %}
          redis.pipeline(each: use) { |pipe| study.fill(pipe, options.pipeline_depth) }
        {% else %}
          # The study's form: all replies are kept, and returned at the end of the block.
          redis.pipeline { |pipe| study.fill(pipe, options.pipeline_depth) }.each { |reply| use.call(reply) }
        {% end %}
      end
    end
  end

  puts %({"wall_ns":#{wall.total_nanoseconds.to_i64},"commands":#{commands},"digest":#{options.verify? ? digest.to_json : "null"}})
rescue error : RedisClient::Error | Bench::UnexpectedReply
  # Any other would be a fault of the library, and shows as one.
  give_up(error)
end
