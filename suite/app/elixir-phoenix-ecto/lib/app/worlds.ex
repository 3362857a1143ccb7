defmodule App.Worlds do
  @moduledoc "Rows of the table `world`."

  import Ecto.Query

  alias App.{Repo, World}

  @doc "These rows, one query after another, on one connection."
  @spec fetch([integer()]) :: {:ok, [struct()]} | {:error, :not_found}
  def fetch(ids) do
    worlds = Repo.checkout(fn -> Enum.map(ids, &Repo.get(World, &1)) end)
    if nil in worlds, do: {:error, :not_found}, else: {:ok, worlds}
  end

  @doc """
  New values, in one transaction and by id: two requests never wait for each other.

  Of a row that is given twice the last value stays.
  """
  @spec write([{id :: integer(), value :: integer()}]) :: {:ok, :ok}
  def write(values) do
    Repo.transaction(fn ->
      values
      |> Enum.sort_by(fn {id, _value} -> id end)
      |> Enum.each(fn {id, value} ->
        Repo.update_all(from(w in World, where: w.id == ^id), set: [random_number: value])
      end)
    end)
  end
end
