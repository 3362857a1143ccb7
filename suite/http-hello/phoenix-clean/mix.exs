defmodule Hello.MixProject do
  use Mix.Project

  def project do
    [
      app: :hello,
      version: "0.1.0",
      elixir: "~> 1.14",
      start_permanent: Mix.env() == :prod,
      deps: deps(),
      releases: [hello: [include_executables_for: [:unix]]]
    ]
  end

  def application do
    [mod: {Hello.Application, []}, extra_applications: [:logger, :runtime_tools]]
  end

  defp deps do
    [
      {:phoenix, "~> 1.7.21"},
      {:phoenix_html, "~> 4.1"},
      {:jason, "~> 1.2"},
      {:plug_cowboy, "~> 2.7"},
      {:bandit, "~> 1.8"}
    ]
  end
end
