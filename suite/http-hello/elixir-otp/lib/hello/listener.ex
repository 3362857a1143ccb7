defmodule Hello.Listener do
  @moduledoc """
  Listens, and hands each connection to a process of its own.

  One acceptor for each scheduler waits on the same listening socket.
  """
  use Supervisor

  @socket_options [
    :binary,
    packet: :http_bin,
    active: false,
    reuseaddr: true,
    nodelay: true,
    backlog: 1024
  ]

  def start_link(options), do: Supervisor.start_link(__MODULE__, options, name: __MODULE__)

  @impl true
  def init(ip: ip, port: port) do
    {:ok, listener} = :gen_tcp.listen(port, [{:ip, ip} | @socket_options])

    acceptors =
      for number <- 1..System.schedulers_online() do
        Supervisor.child_spec({Task, fn -> accept(listener) end},
          id: {:acceptor, number},
          restart: :permanent
        )
      end

    Supervisor.init(acceptors, strategy: :one_for_one)
  end

  defp accept(listener) do
    {:ok, socket} = :gen_tcp.accept(listener)
    {:ok, server} = Task.Supervisor.start_child(Hello.Connections, Hello.Connection, :start, [])
    :ok = :gen_tcp.controlling_process(socket, server)
    send(server, {:serve, socket})
    accept(listener)
  end
end
