defmodule AppWeb.FortuneController do
  use AppWeb, :controller

  def index(conn, %{"add" => add}) do
    render(conn, :index, fortunes: App.Fortunes.with_added(add))
  end
end
