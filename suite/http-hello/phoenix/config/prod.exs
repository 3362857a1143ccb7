import Config

# Nothing: what differs in production is read at start, in runtime.exs.
