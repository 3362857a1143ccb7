defmodule AppWeb.WorldController do
  use AppWeb, :controller

  alias App.Worlds

  action_fallback AppWeb.FallbackController

  # Of a request; further ones are not looked up.
  @most_ids 500

  def show(conn, %{"id" => id}) do
    with {:ok, ids} <- numbers([id]),
         {:ok, [world]} <- Worlds.fetch(ids) do
      render(conn, :show, world: world)
    end
  end

  def index(conn, %{"ids" => ids}) do
    with {:ok, ids} <- ids |> String.split(",") |> Enum.take(@most_ids) |> numbers(),
         {:ok, worlds} <- Worlds.fetch(ids) do
      render(conn, :index, worlds: worlds)
    end
  end

  def update(conn, %{"_json" => asked}) do
    values = for %{"id" => id, "randomNumber" => value} <- asked, do: {id, value}

    with {:ok, _worlds} <- Worlds.fetch(Enum.map(values, fn {id, _value} -> id end)),
         {:ok, :ok} <- Worlds.write(values) do
      render(conn, :update, values: values)
    end
  end

  defp numbers(texts) do
    parsed = Enum.map(texts, &Integer.parse/1)

    if Enum.all?(parsed, &match?({_number, ""}, &1)) do
      {:ok, Enum.map(parsed, fn {number, ""} -> number end)}
    else
      {:error, :bad_request}
    end
  end
end
