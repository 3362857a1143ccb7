defmodule App.Fortune do
  use Ecto.Schema

  schema "fortune" do
    field :message, :string
  end
end
