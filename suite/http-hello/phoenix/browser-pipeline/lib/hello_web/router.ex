defmodule HelloWeb.Router do
  use HelloWeb, :router

  # The pipeline as generated, nothing removed.
  pipeline :browser do
    plug :accepts, ["html"]
    plug :fetch_session
    plug :fetch_flash
    plug :protect_from_forgery
    plug :put_secure_browser_headers
  end

  scope "/", HelloWeb do
    pipe_through :browser

    get "/", HelloController, :index
    get "/:name", HelloController, :show
  end
end
