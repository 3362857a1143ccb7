defmodule AppWeb.WorldJSON do
  def show(%{world: world}), do: data(world.id, world.random_number)

  def index(%{worlds: worlds}), do: Enum.map(worlds, &show(%{world: &1}))

  def update(%{values: values}), do: Enum.map(values, fn {id, value} -> data(id, value) end)

  # In the order that is asked for, which a map would not keep.
  defp data(id, value), do: Jason.OrderedObject.new(id: id, randomNumber: value)
end
