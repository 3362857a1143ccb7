defmodule HelloWeb.Router do
  use HelloWeb, :router

  get "/", HelloWeb.HelloController, :index
  get "/:name", HelloWeb.HelloController, :show
end
