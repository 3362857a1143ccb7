defmodule App.Fortunes do
  @moduledoc "The table `fortune` as a page."

  require EEx

  alias App.Database

  @template Path.join(__DIR__, "templates/fortunes.html.eex")
  @entities %{
    "&" => "&amp;",
    "<" => "&lt;",
    ">" => "&gt;",
    "\"" => "&quot;",
    "'" => "&#39;"
  }
  @special Map.keys(@entities)

  EEx.function_from_file(:defp, :render, @template, [:fortunes])

  @doc "Every fortune and the one that the request adds, by message."
  @spec page(String.t()) :: String.t()
  def page(added) do
    rows = Database.with_connection(&Database.execute(&1, :fortunes))

    [[0, added] | rows]
    |> Enum.sort_by(fn [_id, message] -> message end)
    |> render()
  end

  defp escape(text), do: String.replace(text, @special, &Map.fetch!(@entities, &1))
end
