defmodule App.HTTP.Connection do
  @moduledoc """
  Serves one keep-alive connection: each request goes to `App.Router`.

  The socket is in OTP's HTTP packet mode: the runtime splits requests into a request line,
  headers and an end, and this module sees those, not bytes.
  """

  @idle_timeout_ms 60_000
  @reasons %{
    200 => "200 OK",
    400 => "400 Bad Request",
    404 => "404 Not Found"
  }

  @doc "Waits until the socket is handed over, then serves it until either side closes."
  def start do
    receive do
      {:serve, socket} -> serve(socket)
    end
  end

  defp serve(socket) do
    case :gen_tcp.recv(socket, 0, @idle_timeout_ms) do
      {:ok, {:http_request, method, {:abs_path, target}, version}} ->
        request = %{method: method, target: target, keep_alive?: version == {1, 1}, body_bytes: 0}
        read_headers(socket, request)

      {:ok, _not_a_request} ->
        reply(socket, App.Router.bad_request(), false)

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
        body = read_body(socket, request.body_bytes)

        reply(
          socket,
          App.Router.answer(request.method, request.target, body),
          request.keep_alive?
        )

      {:ok, _not_a_header} ->
        reply(socket, App.Router.bad_request(), false)

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

  defp read_body(_socket, 0), do: ""

  defp read_body(socket, bytes) do
    :ok = :inet.setopts(socket, packet: :raw)
    {:ok, body} = :gen_tcp.recv(socket, bytes, @idle_timeout_ms)
    :ok = :inet.setopts(socket, packet: :http_bin)
    body
  end

  defp reply(socket, {status, type, body}, keep_alive?) do
    response = [
      ["HTTP/1.1 ", Map.fetch!(@reasons, status)],
      ["\r\nserver: OTP\r\ndate: ", App.HTTP.Clock.date()],
      ["\r\ncontent-type: ", type],
      ["\r\ncontent-length: ", Integer.to_string(IO.iodata_length(body))],
      if(keep_alive?, do: "\r\n\r\n", else: "\r\nconnection: close\r\n\r\n"),
      body
    ]

    case :gen_tcp.send(socket, response) do
      :ok when keep_alive? -> serve(socket)
      _closed_or_done -> :gen_tcp.close(socket)
    end
  end
end
