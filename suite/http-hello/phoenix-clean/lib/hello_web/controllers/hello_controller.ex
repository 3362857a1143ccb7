defmodule HelloWeb.HelloController do
  use HelloWeb, :controller

  # The format is in the name, because no :accepts plug has found it out.
  def index(conn, _params), do: render(conn, "index.html")

  def show(conn, %{"name" => name}), do: render(conn, "show.html", name: name)
end
