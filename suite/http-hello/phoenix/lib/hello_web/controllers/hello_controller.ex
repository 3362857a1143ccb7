defmodule HelloWeb.HelloController do
  use HelloWeb, :controller

  def index(conn, _params), do: render(conn, :index)

  def show(conn, %{"name" => name}), do: render(conn, :show, name: name)
end
