# Plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it.
require "http/server"
require "./database"
require "./router"

database = ENV["DATABASE_URL"]?.try { |url| App::Database.new(url) }
server = HTTP::Server.new([App::Router.new(database)])

Signal::TERM.trap { server.close }

server.bind_tcp ENV.fetch("HOST", "127.0.0.1"), ENV.fetch("PORT", "8080").to_i
server.listen
