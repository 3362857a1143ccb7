defmodule App.Fortunes do
  @moduledoc "The table `fortune`."

  alias App.{Fortune, Repo}

  @doc "Every fortune and the one that is added, by message."
  @spec with_added(String.t()) :: [struct()]
  def with_added(message) do
    Enum.sort_by([%Fortune{id: 0, message: message} | Repo.all(Fortune)], & &1.message)
  end
end
