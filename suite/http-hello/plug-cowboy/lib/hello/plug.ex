defmodule Hello.Plug do
  @moduledoc "A module plug: `GET /NAME` answers `Hello from NAME!`, `GET /` answers `Hello World!`."
  @behaviour Plug

  import Plug.Conn

  @impl true
  def init(options), do: options

  @impl true
  def call(%Plug.Conn{method: "GET", path_info: [name]} = conn, _options) do
    conn
    |> put_resp_content_type("text/plain")
    |> send_resp(200, ["Hello from ", name, "!"])
  end

  def call(%Plug.Conn{method: "GET", path_info: []} = conn, _options) do
    conn
    |> put_resp_content_type("text/plain")
    |> send_resp(200, "Hello World!")
  end

  def call(conn, _options), do: send_resp(conn, 404, "")
end
