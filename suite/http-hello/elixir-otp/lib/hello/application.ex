defmodule Hello.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    children = [
      {Task.Supervisor, name: Hello.Connections},
      {Hello.Listener,
       ip: Application.fetch_env!(:hello, :ip), port: Application.fetch_env!(:hello, :port)}
    ]

    Supervisor.start_link(children, strategy: :one_for_one, name: Hello.Supervisor)
  end
end
