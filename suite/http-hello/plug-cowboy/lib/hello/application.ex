defmodule Hello.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    port = Application.fetch_env!(:hello, :port)
    server = Application.fetch_env!(:hello, :http_server)

    Supervisor.start_link([http_server(server, port)],
      strategy: :one_for_one,
      name: Hello.Supervisor
    )
  end

  defp http_server("cowboy", port) do
    {Plug.Cowboy, scheme: :http, plug: Hello.Plug, options: [ip: {127, 0, 0, 1}, port: port]}
  end

  defp http_server("bandit", port) do
    {Bandit, plug: Hello.Plug, ip: {127, 0, 0, 1}, port: port, startup_log: false}
  end
end
