defmodule AppWeb.GreetingController do
  use AppWeb, :controller

  def show_text(conn, %{"name" => name}), do: text(conn, "Hello, #{name}!")

  def show_json(conn, %{"name" => name}), do: json(conn, %{message: "Hello, #{name}!"})
end
