#include "session.hpp"

#include <boost/asio/dispatch.hpp>
#include <utility>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

Session::Session(asio::ip::tcp::socket socket, Application& application)
    : stream_(std::move(socket)), application_(application) {}

void Session::read() {
  request_ = {};
  http::async_read(stream_, buffer_, request_,
                   [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                     // The client has gone, or speaks no HTTP.
                     if (!error) {
                       self->answer();
                     }
                   });
}

void Session::answer() {
  application_.answer(request_, [self = shared_from_this()](Response response) {
    self->response_ = std::move(response);
    // Back to the thread of all connections, where another one made the answer.
    asio::dispatch(self->stream_.get_executor(), [self] { self->write(); });
  });
}

void Session::write() {
  http::async_write(stream_, response_,
                    [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                      if (!error && self->response_.keep_alive()) {
                        self->read();
                      }
                    });
}
