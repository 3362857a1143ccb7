defmodule AppWeb.GreetingController do
  use AppWeb, :controller

  def plaintext(conn, %{"name" => name}), do: text(conn, "Hello, #{name}!")

  def json(conn, %{"name" => name}), do: json(conn, %{message: "Hello, #{name}!"})
end
