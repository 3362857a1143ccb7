defmodule App.Worlds do
  @moduledoc "Rows of the table `world`, as pairs of an id and its number."

  alias App.Database

  @type world :: {id :: integer(), value :: integer()}

  @doc "These rows, one query after another, on one connection."
  @spec find([integer()]) :: {:ok, [world()]} | :not_found
  def find(ids) do
    found =
      Database.with_connection(fn connection ->
        Enum.map(ids, &Database.execute(connection, :world, [&1]))
      end)

    if [] in found do
      :not_found
    else
      {:ok, Enum.map(found, fn [[id, value]] -> {id, value} end)}
    end
  end

  @doc """
  New values, in one transaction and by id: two requests never wait for each other.

  Of a row that is given twice the last value stays.
  """
  @spec write([world()]) :: :ok
  def write(worlds) do
    by_id = Enum.sort_by(worlds, fn {id, _value} -> id end)

    Database.with_connection(fn connection ->
      Database.transaction(connection, fn ->
        Enum.each(by_id, fn {id, value} ->
          Database.execute(connection, :update, [id, value])
        end)
      end)
    end)
  end
end
