require "./spec_helper"

private def rendered(*arguments) : String
  io = IO::Memory.new
  output = RedisClient::Output.new(io) { }
  output.command(*arguments)
  output.flush
  io.to_s
end

describe RedisClient::Output do
  it "renders strings, bytes and numbers" do
    rendered("SET", "foo", "bar").should eq "*3\r\n$3\r\nSET\r\n$3\r\nfoo\r\n$3\r\nbar\r\n"
    rendered("A", Bytes[0, 255]).should eq "*2\r\n$1\r\nA\r\n$2\r\n#{String.new(Bytes[0, 255])}\r\n"
    rendered("A", 0, -1, 1234567890123, 1.5).should eq "*5\r\n$1\r\nA\r\n$1\r\n0\r\n$2\r\n-1\r\n$13\r\n1234567890123\r\n$3\r\n1.5\r\n"
    rendered("ключ").should eq "*1\r\n$8\r\nключ\r\n"
  end

  it "renders the least and the greatest numbers" do
    {Int8::MIN, Int64::MIN, Int64::MAX, UInt64::MAX, Int128::MIN, UInt128::MAX}.each do |number|
      rendered(number).should eq "*1\r\n$#{number.to_s.bytesize}\r\n#{number}\r\n"
    end
  end

  it "counts what is inside of lists and leaves out nil" do
    rendered("A", nil, {"EX", 10}, ["x", "y"], {"k" => 1}, Set{"z"}).should eq(
      "*8\r\n$1\r\nA\r\n$2\r\nEX\r\n$2\r\n10\r\n$1\r\nx\r\n$1\r\ny\r\n$1\r\nk\r\n$1\r\n1\r\n$1\r\nz\r\n")
  end

  it "renders arguments of any length around the buffer's" do
    {9, 10, 11, 65_530, 65_533, 65_534, 65_535, 65_536, 200_000}.each do |size|
      text = "x" * size
      rendered("A", text, "b").should eq "*3\r\n$1\r\nA\r\n$#{size}\r\n#{text}\r\n$1\r\nb\r\n"
    end
  end

  it "renders a stream of commands longer than the buffer" do
    io = IO::Memory.new
    output = RedisClient::Output.new(io) { }
    20_000.times { |index| output.command("INCRBY", "foo", index) }
    output.flush
    io.to_s.should eq String.build { |text| 20_000.times { |index| text << "*3\r\n$6\r\nINCRBY\r\n$3\r\nfoo\r\n$#{index.to_s.size}\r\n#{index}\r\n" } }
    output.bytes_sent.should eq io.size
    output.commands.should eq 20_000
  end
end
