import Config

config :app,
  host: System.get_env("HOST", "127.0.0.1"),
  port: String.to_integer(System.get_env("PORT", "8080")),
  database_url: System.get_env("DATABASE_URL")
