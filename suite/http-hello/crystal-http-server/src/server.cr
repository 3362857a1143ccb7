require "http/server"

host = ENV["HOST"]? || "127.0.0.1"
port = (ARGV.first? || ENV["PORT"]? || "8080").to_i

server = HTTP::Server.new do |context|
  context.response.content_type = "text/plain"
  context.response.print "Hello from #{context.request.path.lchop('/')}!"
end

Signal::TERM.trap { server.close }
Signal::INT.trap { server.close }

server.bind_tcp host, port
server.listen
