defmodule App.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    children = repo() ++ [{Phoenix.PubSub, name: App.PubSub}, AppWeb.Endpoint]
    Supervisor.start_link(children, strategy: :one_for_one, name: App.Supervisor)
  end

  @impl true
  def config_change(changed, _new, removed) do
    AppWeb.Endpoint.config_change(changed, removed)
    :ok
  end

  defp repo do
    if Application.get_env(:app, App.Repo), do: [App.Repo], else: []
  end
end
