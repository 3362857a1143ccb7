# The study's Redis pipeline with the more common shard of its time.
require "redis"
require "./options"
require "./digest"
require "./study"

begin
  options = Bench::Options.new(ARGV)
  redis = Redis.new(host: options.host, port: options.port)
  digest = Bench::Digest.new
  commands = 0

  wall = Time.measure do
    options.rounds.times do
      study = Bench::Study.new(options.iterations)
      until study.ended?
        replies = redis.pipelined { |pipe| study.fill(pipe, options.pipeline_depth) }
        commands += replies.size
        replies.each { |reply| digest.add(reply) } if options.verify?
      end
    end
  end

  puts %({"wall_ns":#{wall.total_nanoseconds.to_i64},"commands":#{commands},"digest":#{options.verify? ? digest.to_json : "null"}})
rescue error
  STDERR.puts "crystal-stefanwille: #{error.message}"
  exit 1
end
