import Config

config :hello,
  port: String.to_integer(System.get_env("PORT", "8080")),
  # "cowboy" or "bandit"
  http_server: System.get_env("HTTP_SERVER", "cowboy")
