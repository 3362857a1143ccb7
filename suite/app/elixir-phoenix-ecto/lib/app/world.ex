defmodule App.World do
  use Ecto.Schema

  schema "world" do
    field :random_number, :integer, source: :randomnumber
  end
end
