import Config

{:ok, ip} = System.get_env("HOST", "127.0.0.1") |> String.to_charlist() |> :inet.parse_address()

config :hello,
  ip: ip,
  port: String.to_integer(System.get_env("PORT", "8080")),
  # "cowboy" or "bandit"
  http_server: System.get_env("HTTP_SERVER", "cowboy")
