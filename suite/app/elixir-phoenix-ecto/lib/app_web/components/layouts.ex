defmodule AppWeb.Layouts do
  use AppWeb, :html

  embed_templates("layouts/*")
end
