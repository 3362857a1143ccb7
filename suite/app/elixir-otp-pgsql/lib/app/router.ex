defmodule App.Router do
  @moduledoc "The routes: plain text, JSON and, where there is a database, rows of it."

  @typedoc "Status, media type and body."
  @type answer :: {pos_integer(), String.t(), iodata()}

  # Of a request; further ones are not looked up.
  @most_ids 500

  @doc "What a request is answered; `target` is its path with its query, as it was sent."
  @spec answer(atom() | String.t(), String.t(), binary()) :: answer()
  def answer(method, target, body) do
    {path, query} =
      case String.split(target, "?", parts: 2) do
        [path, query] -> {path, URI.decode_query(query)}
        [path] -> {path, %{}}
      end

    [_before | segments] = String.split(path, "/")
    route(method, Enum.map(segments, &URI.decode/1), query, body)
  rescue
    # Thrown by URI, where the target is not escaped as it must be.
    ArgumentError -> bad_request()
  end

  @spec bad_request() :: answer()
  def bad_request, do: {400, "text/plain", "bad request"}

  defp route(:GET, ["plaintext", name], _query, _body), do: text("Hello, #{name}!")
  defp route(:GET, ["json", name], _query, _body), do: json({[message: "Hello, #{name}!"]})

  defp route(:GET, ["db"], %{"id" => id}, _body) do
    with {:ok, [id]} <- numbers([id]),
         {:ok, [world]} <- App.Worlds.find([id]) do
      json(shown(world))
    else
      error -> refused(error)
    end
  end

  defp route(:GET, ["queries"], %{"ids" => ids}, _body) do
    with {:ok, ids} <- ids |> String.split(",") |> Enum.take(@most_ids) |> numbers(),
         {:ok, worlds} <- App.Worlds.find(ids) do
      json(Enum.map(worlds, &shown/1))
    else
      error -> refused(error)
    end
  end

  defp route(:POST, ["updates"], _query, body) do
    with {:ok, asked} <- worlds(body),
         {:ok, _found} <- App.Worlds.find(Enum.map(asked, fn {id, _value} -> id end)) do
      App.Worlds.write(asked)
      json(Enum.map(asked, &shown/1))
    else
      error -> refused(error)
    end
  end

  defp route(:GET, ["fortunes"], %{"add" => add}, _body) do
    {200, "text/html; charset=utf-8", App.Fortunes.page(add)}
  end

  defp route(_method, _path, _query, _body), do: refused(:not_found)

  defp refused(:not_found), do: {404, "text/plain", "not found"}
  defp refused(:bad_request), do: bad_request()

  defp text(text), do: {200, "text/plain; charset=utf-8", text}
  defp json(value), do: {200, "application/json", :jiffy.encode(value)}

  # In the order that is asked for, which a map would not keep.
  defp shown({id, value}), do: {[id: id, randomNumber: value]}

  defp numbers(texts) do
    parsed = Enum.map(texts, &Integer.parse/1)

    if Enum.all?(parsed, &match?({_number, ""}, &1)) do
      {:ok, Enum.map(parsed, fn {number, ""} -> number end)}
    else
      :bad_request
    end
  end

  defp worlds(body) do
    worlds =
      for %{"id" => id, "randomNumber" => value} when is_integer(id) and is_integer(value) <-
            :jiffy.decode(body, [:return_maps]),
          do: {id, value}

    {:ok, worlds}
  rescue
    # Thrown by jiffy, where it is no JSON.
    ErlangError -> :bad_request
  end
end
