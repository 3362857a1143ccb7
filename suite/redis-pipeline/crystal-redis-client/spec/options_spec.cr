require "./spec_helper"

describe RedisClient::Options do
  it "reads a URL" do
    options = RedisClient::Options.parse("rediss://ann:secret@example.org:6380/3?protocol=3&timeout=2.5&pool=4&name=me&verify=none")
    options.tls?.should be_true
    options.tls_verify?.should be_false
    options.host.should eq "example.org"
    options.port.should eq 6380
    options.username.should eq "ann"
    options.password.should eq "secret"
    options.database.should eq 3
    options.protocol.should eq 3
    options.timeout.should eq 2.5.seconds
    options.pool_size.should eq 4
    options.name.should eq "me"
  end

  it "has defaults" do
    options = RedisClient::Options.parse("redis://")
    {options.host, options.port, options.database, options.protocol, options.tls?}.should eq({"127.0.0.1", 6379, 0, 2, false})
    RedisClient::Options.parse("redis://h?timeout=0").timeout.should be_nil
    RedisClient::Options.parse("unix:///run/x.sock?db=2").socket_path.should eq "/run/x.sock"
    RedisClient::Options.parse("redis://:pass@h").username.should be_nil
  end

  {
    "http://h"               => "redis://",
    "redis://h/x"            => "database",
    "redis://h?protocol=4"   => "protocol",
    "redis://h?timeout=soon" => "timeout",
    "redis://h?pool=0"       => "pool",
    "redis://h?colour=red"   => "colour",
    "redis://h?verify=maybe" => "verify",
  }.each do |url, part|
    it "says what is wrong with #{url}" do
      expect_raises(RedisClient::ConfigurationError, part) { RedisClient::Options.parse(url) }
    end
  end
end
