defmodule Hello.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    children = [
      {Phoenix.PubSub, name: Hello.PubSub},
      HelloWeb.Endpoint
    ]

    Supervisor.start_link(children, strategy: :one_for_one, name: Hello.Supervisor)
  end

  @impl true
  def config_change(changed, _new, removed) do
    HelloWeb.Endpoint.config_change(changed, removed)
    :ok
  end
end
