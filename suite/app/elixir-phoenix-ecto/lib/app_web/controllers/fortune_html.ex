defmodule AppWeb.FortuneHTML do
  use AppWeb, :html

  embed_templates("fortune_html/*")
end
