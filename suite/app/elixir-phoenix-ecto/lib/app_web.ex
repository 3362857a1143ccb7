defmodule AppWeb do
  @moduledoc """
  What the web modules share: `use AppWeb, :controller`, `use AppWeb, :html`, and so on.
  """

  def router do
    quote do
      use Phoenix.Router, helpers: false

      import Plug.Conn
      import Phoenix.Controller
    end
  end

  def controller do
    quote do
      use Phoenix.Controller, formats: [:html, :json], layouts: [html: AppWeb.Layouts]

      import Plug.Conn
    end
  end

  def html do
    quote do
      import Phoenix.HTML
      import Phoenix.Template, only: [embed_templates: 1]
    end
  end

  defmacro __using__(which) when is_atom(which) do
    apply(__MODULE__, which, [])
  end
end
