require "./spec_helper"

describe RedisClient::Parser do
  it "reads RESP2" do
    parse("+OK\r\n").should eq "OK"
    parse("+PONG\r\n").should eq "PONG"
    parse(":1000\r\n").should eq 1000_i64
    parse(":-9223372036854775808\r\n").should eq Int64::MIN
    parse(":9223372036854775807\r\n").should eq Int64::MAX
    parse("$3\r\nbar\r\n").should eq "bar"
    parse("$0\r\n\r\n").should eq ""
    parse("$4\r\na\r\nb\r\n").should eq "a\r\nb"
    parse("$-1\r\n").should be_nil
    parse("*-1\r\n").should be_nil
    parse("*0\r\n").should eq [] of RedisClient::Value
    parse("*3\r\n:1\r\n$-1\r\n*1\r\n+a\r\n").should eq [1_i64, nil, ["a"] of RedisClient::Value] of RedisClient::Value
  end

  it "reads RESP3" do
    parse("_\r\n").should be_nil
    parse("#t\r\n").should eq true
    parse("#f\r\n").should eq false
    parse(",1.5\r\n").should eq 1.5
    parse(",-inf\r\n").should eq -Float64::INFINITY
    parse(",nan\r\n").as(Float64).nan?.should be_true
    parse("(3492890328409238509324850943850943825024385\r\n").should eq "3492890328409238509324850943850943825024385"
    parse("=15\r\ntxt:Some string\r\n").should eq "Some string"
    parse("%1\r\n+a\r\n:1\r\n").should eq({"a" => 1_i64} of RedisClient::Value => RedisClient::Value)
    parse("~2\r\n:1\r\n:2\r\n").should eq [1_i64, 2_i64] of RedisClient::Value
    parse("|1\r\n+ttl\r\n:3600\r\n$1\r\nx\r\n").should eq "x"
    parse(">2\r\n+message\r\n+x\r\n").should be_a RedisClient::Push
  end

  it "makes errors of error replies" do
    parse("-ERR no\r\n").should be_a RedisClient::ServerError
    parse("-WRONGTYPE no\r\n").should be_a RedisClient::WrongTypeError
    parse("!9\r\nOOM no me\r\n").should be_a RedisClient::OutOfMemoryError
    parse("-ERR no\r\n").as(RedisClient::ServerError).code.should eq "ERR"
  end

  {
    "?\r\n", "\r\n", "\n", ":\r\n", ":1a\r\n", ":9223372036854775808\r\n", ":-9223372036854775809\r\n",
    ":99999999999999999999\r\n", "$-2\r\n", "$536870913\r\n", "$1\r\nab\r\n", "*-2\r\n", "*2147483648\r\n",
    "#x\r\n", "#\r\n", ",abc\r\n", "(\r\n", "(12a\r\n", "_x\r\n", "=3\r\ntxt\r\n", "%-1\r\n", "+a\n",
    "*1\r\n" * 200, "!-1\r\n", "+#{"x" * 40_000}\r\n", "+#{"x" * 100_000}",
  }.each do |bytes|
    it "refuses #{bytes[0, 24].inspect}" do
      expect_raises(RedisClient::ProtocolError) { parse(bytes) }
    end
  end

  it "says that the connection was closed in the middle of a reply" do
    whole = "*2\r\n$3\r\nbar\r\n%1\r\n+a\r\n,1.5\r\n"
    whole.bytesize.times do |size|
      expect_raises(RedisClient::ConnectionError) { parse(whole[0, size]) }
    end
  end

  it "does not believe an announced length" do
    before = GC.stats.total_bytes
    expect_raises(RedisClient::ConnectionError) { parse("*2147483647\r\n:1\r\n") }
    expect_raises(RedisClient::ConnectionError) { parse("%2147483647\r\n:1\r\n") }
    expect_raises(RedisClient::ConnectionError) { parse("$536870912\r\nabc") }
    (GC.stats.total_bytes - before).should be < 4_000_000
  end

  it "refuses a line without end" do
    expect_raises(RedisClient::ProtocolError) { parse("+" + "a" * 100_000) }
  end

  it "reads a string longer than its buffer" do
    text = "x" * 300_000
    parse("$#{text.bytesize}\r\n#{text}\r\n").should eq text
  end

  it "reads what comes a few bytes at a time" do
    random = Random.new(1)
    replies = String.build do |io|
      2000.times { |index| io << "+OK\r\n$3\r\nbar\r\n:#{index}\r\n$-1\r\n*2\r\n:1\r\n$2\r\n\r\n\r\n" }
    end
    parser = RedisClient::Parser.new(RedisClient::Input.new(Trickle.new(replies, random)))
    2000.times do |index|
      parser.read.should eq "OK"
      parser.read.should eq "bar"
      parser.read.should eq index
      parser.read.should be_nil
      parser.read.should eq [1_i64, "\r\n"] of RedisClient::Value
    end
  end

  it "gives a reply or a typed error for any bytes" do
    random = Random.new(20_200_519)
    alphabet = "+-:$*_#,(!=%~>|0123456789-\r\n\r\n\r\n\r\ntf.abc".to_slice
    outcomes = Hash(String, Int32).new(0)
    50_000.times do
      bytes = Bytes.new(random.rand(1..40)) { random.rand(20) == 0 ? random.rand(UInt8) : alphabet.sample(random) }
      begin
        parse(String.new(bytes))
        outcomes["reply"] += 1
      rescue RedisClient::ProtocolError
        outcomes["protocol"] += 1
      rescue RedisClient::ConnectionError
        outcomes["short"] += 1
      end
    end
    # All three happen, or the bytes try nothing.
    outcomes.size.should eq 3
  end

  it "gives the same replies and a typed error for damaged ones, however they are cut" do
    random = Random.new(7)
    whole = "+OK\r\n*3\r\n$3\r\nbar\r\n%1\r\n+a\r\n,1.5\r\n=7\r\ntxt:abc\r\n>1\r\n:1\r\n$-1\r\n!5\r\nOOM n\r\n"
    outcomes = Hash(String, Int32).new(0)
    300.times do
      bytes = whole.to_slice.to_a
      random.rand(1..3).times { damage(bytes, random) }
      expected = read_all(bytes, bytes.size)
      outcomes[expected[1]] += 1
      (1...bytes.size).each { |at| read_all(bytes, at).should eq expected }
    end
    # Protocol errors and replies that end early, or the damage is none.
    outcomes.keys.sort!.should eq ["RedisClient::ConnectionError", "RedisClient::ProtocolError"]
  end

  it "reads back what it is given, in any nesting" do
    random = Random.new(11)
    2000.times do
      value = random_value(random, 0)
      parse(String.build { |io| render(value, io) }).should eq value
    end
  end
end

# Changes, drops or adds one byte.
def damage(bytes : Array(UInt8), random : Random) : Nil
  at = random.rand(bytes.size)
  case random.rand(3)
  when 0 then bytes[at] = random.rand(UInt8)
  when 1 then bytes.delete_at(at)
  else        bytes.insert(at, "\r\n0123456789-$*%~|".to_slice.sample(random))
  end
end

# All replies of *bytes*, which come in two pieces cut at *at*, and what ended them.
def read_all(bytes : Array(UInt8), at : Int32) : {Array(String), String}
  slice = Slice.new(bytes.to_unsafe, bytes.size)
  parser = RedisClient::Parser.new(RedisClient::Input.new(Pieces.new([slice[0, at], slice[at, slice.size - at]])))
  replies = [] of String
  loop { replies << parser.read.inspect }
rescue error : RedisClient::ProtocolError | RedisClient::ConnectionError
  {replies || [] of String, error.class.name}
end

# Gives each of its pieces at once, then nothing more.
class Pieces < IO
  def initialize(@pieces : Array(Bytes))
  end

  def read(slice : Bytes) : Int32
    @pieces.shift if @pieces.first?.try(&.empty?)
    return 0 unless piece = @pieces.first?
    count = Math.min(slice.size, piece.size)
    slice.copy_from(piece[0, count])
    @pieces[0] = piece + count
    count
  end

  def write(slice : Bytes) : Nil
    raise IO::Error.new("read only")
  end
end

# Gives its bytes in pieces of 1 to 7.
class Trickle < IO
  def initialize(text : String, @random : Random)
    @source = IO::Memory.new(text)
  end

  def read(slice : Bytes) : Int32
    @source.read(slice[0, Math.min(slice.size, @random.rand(1..7))])
  end

  def write(slice : Bytes) : Nil
    raise IO::Error.new("read only")
  end
end

def random_value(random : Random, depth : Int32) : RedisClient::Value
  case random.rand(depth < 4 ? 7 : 5)
  when 0 then nil
  when 1 then random.rand(Int64)
  when 2 then random.next_bool
  when 3 then String.new(Bytes.new(random.rand(20)) { random.rand(UInt8) })
  when 4 then random.rand(1000) / 8
  when 5 then Array(RedisClient::Value).new(random.rand(4)) { random_value(random, depth + 1) }
  else
    Hash(RedisClient::Value, RedisClient::Value).new.tap do |map|
      random.rand(4).times { |index| map[index.to_i64] = random_value(random, depth + 1) }
    end
  end
end

def render(value : RedisClient::Value, io : IO) : Nil
  case value
  when Nil     then io << "_\r\n"
  when Int64   then io << ':' << value << "\r\n"
  when Bool    then io << (value ? "#t\r\n" : "#f\r\n")
  when Float64 then io << ',' << value << "\r\n"
  when String
    io << '$' << value.bytesize << "\r\n"
    io.write(value.to_slice)
    io << "\r\n"
  when Array
    io << '*' << value.size << "\r\n"
    value.each { |item| render(item, io) }
  when Hash
    io << '%' << value.size << "\r\n"
    value.each do |key, item|
      render(key, io)
      render(item, io)
    end
  end
end
