defmodule App.MixProject do
  use Mix.Project

  def project do
    [
      app: :app,
      version: "0.1.0",
      elixir: "~> 1.14",
      start_permanent: Mix.env() == :prod,
      deps: [],
      releases: [app: [include_executables_for: [:unix]]]
    ]
  end

  # No package of Hex: the libraries of Erlang are those that the system has.
  def application do
    [
      mod: {App.Application, []},
      extra_applications: [:logger, :eex, :jiffy, :p1_pgsql, :poolboy]
    ]
  end
end
