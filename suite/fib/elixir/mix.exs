defmodule Fib.MixProject do
  use Mix.Project

  def project do
    [
      app: :fib,
      version: "0.1.0",
      elixir: "~> 1.14",
      deps: [],
      escript: [main_module: Fib]
    ]
  end

  def application, do: []
end
