defmodule HelloWeb.Router do
  use HelloWeb, :router

  # The generated pipeline less :fetch_session, :fetch_flash and :protect_from_forgery, as in the
  # study, which left Plug.Session in the endpoint.
  pipeline :browser do
    plug :accepts, ["html"]
    plug :put_secure_browser_headers
  end

  scope "/", HelloWeb do
    pipe_through :browser

    get "/", HelloController, :index
    get "/:name", HelloController, :show
  end
end
