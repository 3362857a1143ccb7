import Config

{:ok, ip} = System.get_env("HOST", "127.0.0.1") |> String.to_charlist() |> :inet.parse_address()

config :hello, ip: ip, port: String.to_integer(System.get_env("PORT", "8080"))
