import Config

{:ok, ip} = :inet.parse_address(to_charlist(System.get_env("HOST", "127.0.0.1")))

config :app, AppWeb.Endpoint,
  server: true,
  http: [
    ip: ip,
    port: String.to_integer(System.get_env("PORT", "4000")),
    # It waits for open connections when it is told to stop: half a second is enough for requests at hand.
    thousand_island_options: [shutdown_timeout: 500]
  ],
  # A service that keeps sessions across starts sets SECRET_KEY_BASE; here nothing outlives one.
  secret_key_base:
    System.get_env("SECRET_KEY_BASE") || Base.encode64(:crypto.strong_rand_bytes(48))

if url = System.get_env("DATABASE_URL") do
  config :app, App.Repo, url: url, pool_size: 16
end
