[
  # What Phoenix, Plug and Ecto export, written out so that the formatter works without the packages.
  locals_without_parens: [
    plug: 1,
    plug: 2,
    pipe_through: 1,
    get: 3,
    post: 3,
    action_fallback: 1,
    field: 2,
    field: 3
  ],
  inputs: ["{mix,.formatter}.exs", "{config,lib}/**/*.{ex,exs}"]
]
