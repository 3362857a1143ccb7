import Config

config :hello, HelloWeb.Endpoint,
  url: [host: "localhost"],
  render_errors: [formats: [html: HelloWeb.ErrorHTML], layout: false],
  pubsub_server: Hello.PubSub

# As in the study: nothing below an error is logged, and its code is not even compiled in.
config :logger,
  level: :error,
  compile_time_purge_matching: [[level_lower_than: :error]]

config :phoenix, :json_library, Jason
