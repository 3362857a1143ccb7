defmodule Hello.MixProject do
  use Mix.Project

  def project do
    [
      app: :hello,
      version: "0.1.0",
      elixir: "~> 1.14",
      start_permanent: Mix.env() == :prod,
      deps: [],
      releases: [hello: [include_executables_for: [:unix]]]
    ]
  end

  def application do
    [mod: {Hello.Application, []}]
  end
end
