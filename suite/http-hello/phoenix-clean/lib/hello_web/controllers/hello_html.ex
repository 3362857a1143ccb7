defmodule HelloWeb.HelloHTML do
  use HelloWeb, :html

  embed_templates("hello_html/*")
end
