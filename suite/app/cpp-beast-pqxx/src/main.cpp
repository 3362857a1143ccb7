// Serves the application on 127.0.0.1, or the address in HOST. The port is the first argument, or PORT;
// DATABASE_URL names a PostgreSQL.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "application.hpp"
#include "database.hpp"
#include "session.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

asio::ip::address host() {
  const char* given = std::getenv("HOST");
  return asio::ip::make_address(given ? given : "127.0.0.1");
}

unsigned short port(int argc, char** argv) {
  const char* fallback = std::getenv("PORT");
  return static_cast<unsigned short>(std::stoi(argc > 1 ? argv[1] : fallback ? fallback : "8080"));
}

void accept(tcp::acceptor& acceptor, Application& application) {
  acceptor.async_accept([&](const boost::system::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) {
      return;
    }
    if (!error) {
      socket.set_option(tcp::no_delay(true));
      std::make_shared<Session>(std::move(socket), application)->read();
    }
    accept(acceptor, application);
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const char* url = std::getenv("DATABASE_URL");
    Application application(url ? std::make_unique<Database>(url) : nullptr);
    asio::io_context context(1);
    tcp::acceptor acceptor(context, {host(), port(argc, argv)});
    accept(acceptor, application);

    asio::signal_set signals(context, SIGTERM, SIGINT);
    signals.async_wait([&](const boost::system::error_code&, int) { context.stop(); });
    context.run();
    application.join();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "app: " << error.what() << '\n';
    return 1;
  }
}
