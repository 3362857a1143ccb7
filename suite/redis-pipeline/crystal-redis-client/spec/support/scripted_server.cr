require "socket"

# A server that does what a block says to each connection: for what a real Redis does not do on demand.
module ScriptedServer
  # Runs *script* for each connection, in a fiber of its own, while the block runs with the server's URL.
  def self.run(script : TCPSocket ->, & : String ->) : Nil
    server = TCPServer.new("127.0.0.1", 0)
    spawn do
      while socket = server.accept?
        connection = socket
        spawn do
          script.call(connection)
        rescue IO::Error
          # The client has gone.
        ensure
          connection.close
        end
      end
    end
    begin
      yield "redis://127.0.0.1:#{server.local_address.port}"
    ensure
      server.close
    end
  end
end
