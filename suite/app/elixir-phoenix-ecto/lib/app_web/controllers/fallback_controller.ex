defmodule AppWeb.FallbackController do
  use AppWeb, :controller

  def call(conn, {:error, :not_found}), do: conn |> put_status(404) |> text("not found")
  def call(conn, {:error, :bad_request}), do: conn |> put_status(400) |> text("bad request")
end
