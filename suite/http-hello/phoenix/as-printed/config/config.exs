import Config

# What the study printed, by the names that Phoenix has for it today. The level is that of the console alone,
# so messages are made and then dropped; nothing of development (reloader, debugging) is imported.
config :hello, HelloWeb.Endpoint,
  url: [host: "localhost"],
  root: Path.dirname(__DIR__),
  render_errors: [accepts: ~w(html json)],
  pubsub_server: Hello.PubSub

config :logger, :console, level: :error

config :phoenix, :json_library, Jason
