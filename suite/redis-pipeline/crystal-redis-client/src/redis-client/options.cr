require "uri"

module RedisClient
  # Where to connect and how.
  #
  # `redis://[[user]:password@]host[:port][/database][?option=value&...]`, `rediss://...` for TLS,
  # `unix:///path/to.sock`. The options:
  #
  # | name | meaning | default |
  # | --- | --- | --- |
  # | `protocol` | 2 or 3 | 2 |
  # | `db` | database (for `unix:`) | 0 |
  # | `name` | `CLIENT SETNAME` | none |
  # | `connect_timeout` | seconds | 5 |
  # | `timeout` | seconds to wait for a read or a write; 0 is for ever | 30 |
  # | `pool` | connections at most | 8 |
  # | `pool_timeout` | seconds to wait for a free one | 5 |
  # | `ca` | a PEM file of authorities to trust (TLS) | the system's |
  # | `verify` | `none` trusts any certificate (TLS) | `peer` |
  struct Options
    DEFAULT_URL  = "redis://127.0.0.1:6379"
    DEFAULT_PORT = 6379

    property host = "127.0.0.1"
    property port = DEFAULT_PORT
    property socket_path : String?
    property? tls = false
    property tls_ca : String?
    property? tls_verify = true
    property username : String?
    property password : String?
    property database = 0
    property protocol = 2
    property name : String?
    property connect_timeout : Time::Span = 5.seconds
    property timeout : Time::Span? = 30.seconds
    property pool_size = 8
    property pool_timeout : Time::Span = 5.seconds

    # Raises `ConfigurationError` that says which part of the URL is wrong.
    def self.parse(url : String) : Options
      uri = URI.parse(url)
      options = new
      case uri.scheme
      when "redis"              then options.take_address(uri)
      when "rediss"             then options.take_address(uri, tls: true)
      when "unix", "redis+unix" then options.socket_path = uri.path
      else
        raise ConfigurationError.new("the URL must start with redis://, rediss:// or unix://, not #{uri.scheme.inspect}")
      end
      options.username = uri.user.presence
      options.password = uri.password
      uri.query_params.each { |key, value| options.take(key, value) }
      options
    rescue error : URI::Error
      raise ConfigurationError.new("not a URL: #{error.message}")
    end

    # :nodoc:
    def take_address(uri : URI, tls = false) : Nil
      @tls = tls
      @host = uri.hostname.presence || @host
      @port = uri.port || DEFAULT_PORT
      path = uri.path.lchop('/')
      @database = number("database", path) unless path.empty?
    end

    # :nodoc:
    def take(key : String, value : String) : Nil
      case key
      when "protocol"
        @protocol = number(key, value)
        raise ConfigurationError.new("protocol must be 2 or 3, not #{value}") unless @protocol.in?(2, 3)
      when "db"              then @database = number(key, value)
      when "name"            then @name = value
      when "connect_timeout" then @connect_timeout = seconds(key, value)
      when "timeout"         then @timeout = seconds(key, value).try { |span| span.zero? ? nil : span }
      when "pool"
        @pool_size = number(key, value)
        raise ConfigurationError.new("pool must be at least 1") if @pool_size < 1
      when "pool_timeout" then @pool_timeout = seconds(key, value)
      when "ca"           then @tls_ca = value
      when "verify"
        raise ConfigurationError.new("verify must be peer or none, not #{value}") unless value.in?("peer", "none")
        @tls_verify = value == "peer"
      else
        raise ConfigurationError.new("unknown option #{key} in the URL")
      end
    end

    # Where it leads, without the password.
    def address : String
      socket_path || "#{host}:#{port}"
    end

    private def number(key, value) : Int32
      number = value.to_i?
      raise ConfigurationError.new("#{key} takes a whole number, not #{value.inspect}") if number.nil? || number < 0
      number
    end

    private def seconds(key, value) : Time::Span
      number = value.to_f?
      raise ConfigurationError.new("#{key} takes seconds, not #{value.inspect}") if number.nil? || number < 0 || !number.finite?
      number.seconds
    end
  end
end
