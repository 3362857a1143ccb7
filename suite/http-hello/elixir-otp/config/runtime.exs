import Config

config :hello, port: String.to_integer(System.get_env("PORT", "8080"))
