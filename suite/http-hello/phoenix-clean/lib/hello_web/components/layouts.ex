defmodule HelloWeb.Layouts do
  use HelloWeb, :html

  embed_templates("layouts/*")
end
