defmodule Hello.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    ip = Application.fetch_env!(:hello, :ip)
    port = Application.fetch_env!(:hello, :port)
    server = Application.fetch_env!(:hello, :http_server)

    Supervisor.start_link([http_server(server, ip, port)],
      strategy: :one_for_one,
      name: Hello.Supervisor
    )
  end

  defp http_server("cowboy", ip, port) do
    {Plug.Cowboy, scheme: :http, plug: Hello.Plug, options: [ip: ip, port: port]}
  end

  defp http_server("bandit", ip, port) do
    {Bandit, plug: Hello.Plug, ip: ip, port: port, startup_log: false}
  end
end
