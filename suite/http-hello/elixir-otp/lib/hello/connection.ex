defmodule Hello.Connection do
  @moduledoc """
  Serves one keep-alive connection: `GET /NAME` answers `Hello from NAME!`.

  The socket is in OTP's HTTP packet mode: the runtime splits requests into a request line,
  headers and an end, and this module sees those, not bytes.
  """

  @idle_timeout_ms 60_000

  @doc "Waits until the socket is handed over, then serves it until either side closes."
  def start do
    receive do
      {:serve, socket} -> serve(socket)
    end
  end

  defp serve(socket) do
    case :gen_tcp.recv(socket, 0, @idle_timeout_ms) do
      {:ok, {:http_request, method, {:abs_path, path}, version}} ->
        request = %{method: method, path: path, keep_alive?: version == {1, 1}, body_bytes: 0}
        read_headers(socket, request)

      {:ok, _not_a_request} ->
        reply(socket, "400 Bad Request", "", false)

      {:error, _closed_or_idle} ->
        :gen_tcp.close(socket)
    end
  end

  defp read_headers(socket, request) do
    case :gen_tcp.recv(socket, 0, @idle_timeout_ms) do
      {:ok, {:http_header, _, :Connection, _, value}} ->
        read_headers(socket, %{request | keep_alive?: keep_alive?(request, value)})

      {:ok, {:http_header, _, :"Content-Length", _, value}} ->
        read_headers(socket, %{request | body_bytes: String.to_integer(value)})

      {:ok, {:http_header, _, _, _, _}} ->
        read_headers(socket, request)

      {:ok, :http_eoh} ->
        skip_body(socket, request.body_bytes)
        answer(socket, request)

      {:ok, _not_a_header} ->
        reply(socket, "400 Bad Request", "", false)

      {:error, _closed_or_idle} ->
        :gen_tcp.close(socket)
    end
  end

  defp keep_alive?(request, value) do
    case String.downcase(value) do
      "close" -> false
      "keep-alive" -> true
      _other -> request.keep_alive?
    end
  end

  defp skip_body(_socket, 0), do: :ok

  defp skip_body(socket, bytes) do
    :ok = :inet.setopts(socket, packet: :raw)
    {:ok, _body} = :gen_tcp.recv(socket, bytes, @idle_timeout_ms)
    :ok = :inet.setopts(socket, packet: :http_bin)
  end

  defp answer(socket, %{method: :GET, path: "/" <> name, keep_alive?: keep_alive?}) do
    reply(socket, "200 OK", ["Hello from ", name, "!"], keep_alive?)
  end

  defp answer(socket, %{keep_alive?: keep_alive?}) do
    reply(socket, "405 Method Not Allowed", "", keep_alive?)
  end

  defp reply(socket, status, body, keep_alive?) do
    response = [
      ["HTTP/1.1 ", status],
      "\r\ncontent-type: text/plain\r\ncontent-length: ",
      Integer.to_string(IO.iodata_length(body)),
      if(keep_alive?, do: "\r\n\r\n", else: "\r\nconnection: close\r\n\r\n"),
      body
    ]

    case :gen_tcp.send(socket, response) do
      :ok when keep_alive? -> serve(socket)
      _closed_or_done -> :gen_tcp.close(socket)
    end
  end
end
