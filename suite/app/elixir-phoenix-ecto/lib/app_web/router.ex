defmodule AppWeb.Router do
  use AppWeb, :router

  pipeline :browser do
    plug :accepts, ["html"]
    plug :put_secure_browser_headers
  end

  pipeline :api do
    plug :accepts, ["json"]
  end

  scope "/", AppWeb do
    pipe_through :api

    get "/plaintext/:name", GreetingController, :show_text
    get "/json/:name", GreetingController, :show_json
    get "/db", WorldController, :show
    get "/queries", WorldController, :index
    post "/updates", WorldController, :update
  end

  scope "/", AppWeb do
    pipe_through :browser

    get "/fortunes", FortuneController, :index
  end
end
