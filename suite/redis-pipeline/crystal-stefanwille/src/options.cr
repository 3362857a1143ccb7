require "option_parser"

# The command line that every contender of this workload takes.
class Bench::Options
  getter host = "127.0.0.1"
  getter port = 0
  getter iterations = 100_000
  getter rounds = 1
  # Commands sent before their replies are awaited; nil is a whole round.
  getter pipeline_depth : Int32?
  getter? verify = false

  def initialize(arguments : Array(String))
    OptionParser.parse(arguments) do |parser|
      parser.on("--host HOST", "") { |value| @host = value }
      parser.on("--port PORT", "") { |value| @port = number("--port", value) }
      parser.on("--iterations N", "") { |value| @iterations = number("--iterations", value) }
      parser.on("--rounds N", "") { |value| @rounds = number("--rounds", value) }
      parser.on("--pipeline-depth N", "") { |value| @pipeline_depth = number("--pipeline-depth", value) }
      parser.on("--verify", "") { @verify = true }
    end
    raise ArgumentError.new("--port is required") if @port == 0
    raise ArgumentError.new("--pipeline-depth must be at least 1") if @pipeline_depth == 0
  end

  private def number(name, value) : Int32
    number = value.to_i?
    raise ArgumentError.new("#{name} takes a whole number, not #{value.inspect}") if number.nil? || number < 0
    number
  end
end
