import Config

config :app, ecto_repos: [App.Repo]

config :app, AppWeb.Endpoint,
  url: [host: "localhost"],
  adapter: Bandit.PhoenixAdapter,
  render_errors: [formats: [html: AppWeb.ErrorHTML], layout: false],
  pubsub_server: App.PubSub

config :phoenix, :json_library, Jason

# A line a request is not what is raced.
config :logger, level: :warning
