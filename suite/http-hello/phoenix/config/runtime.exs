import Config

{:ok, ip} = System.get_env("HOST", "127.0.0.1") |> String.to_charlist() |> :inet.parse_address()

http = [ip: ip, port: String.to_integer(System.get_env("PORT", "4000"))]

# Either waits for open connections when it is told to stop: half a second is enough for requests
# at hand, and idle ones are not waited for any longer.
server =
  case System.get_env("HTTP_SERVER", "cowboy") do
    "cowboy" ->
      [adapter: Phoenix.Endpoint.Cowboy2Adapter, http: http, drainer: [shutdown: 500]]

    "bandit" ->
      http = http ++ [thousand_island_options: [shutdown_timeout: 500]]
      [adapter: Bandit.PhoenixAdapter, http: http]
  end

# A service that keeps sessions across starts sets SECRET_KEY_BASE; here nothing outlives one.
secret_key_base =
  System.get_env("SECRET_KEY_BASE") || Base.encode64(:crypto.strong_rand_bytes(48))

config :hello, HelloWeb.Endpoint, [secret_key_base: secret_key_base, server: true] ++ server
