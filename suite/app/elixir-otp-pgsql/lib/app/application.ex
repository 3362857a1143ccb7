defmodule App.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    {:ok, ip} = :inet.parse_address(to_charlist(Application.fetch_env!(:app, :host)))

    server = [
      App.HTTP.Clock,
      {Task.Supervisor, name: App.HTTP.Connections},
      {App.HTTP.Listener, ip: ip, port: Application.fetch_env!(:app, :port)}
    ]

    # The database first: who listens can answer.
    children = database(Application.fetch_env!(:app, :database_url)) ++ server
    Supervisor.start_link(children, strategy: :one_for_one, name: App.Supervisor)
  end

  defp database(nil), do: []
  defp database(url), do: [{App.Database, url}]
end
