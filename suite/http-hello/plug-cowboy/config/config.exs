import Config

config :logger,
  level: :error,
  compile_time_purge_matching: [[level_lower_than: :error]]
