[
  # Plug's own exports, written out so that the formatter works without the package.
  locals_without_parens: [plug: 1, plug: 2, get: 2],
  inputs: ["{mix,.formatter}.exs", "{config,lib}/**/*.{ex,exs}"]
]
