import Config

# What a generated project has in development; it is why the dev-mode variant is slow.
config :hello, HelloWeb.Endpoint,
  check_origin: false,
  code_reloader: true,
  debug_errors: true

config :phoenix, :stacktrace_depth, 20
config :phoenix, :plug_init_mode, :runtime
