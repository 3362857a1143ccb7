defmodule App.HTTP.Clock do
  @moduledoc "The time as the header `Date` has it, put into words once a second."
  use GenServer

  @second_ms 1000

  def start_link(_options), do: GenServer.start_link(__MODULE__, nil, name: __MODULE__)

  @doc "Such as `Tue, 24 Nov 2026 22:10:56 GMT`."
  @spec date() :: String.t()
  def date, do: :ets.lookup_element(__MODULE__, :date, 2)

  @impl true
  def init(nil) do
    :ets.new(__MODULE__, [:named_table, read_concurrency: true])
    tick()
    {:ok, nil}
  end

  @impl true
  def handle_info(:tick, state) do
    tick()
    {:noreply, state}
  end

  defp tick do
    now = Calendar.strftime(DateTime.utc_now(), "%a, %d %b %Y %H:%M:%S GMT")
    :ets.insert(__MODULE__, {:date, now})
    Process.send_after(self(), :tick, @second_ms)
  end
end
