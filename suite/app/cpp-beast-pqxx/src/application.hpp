#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "database.hpp"

using Request = boost::beast::http::request<boost::beast::http::string_body>;
using Response = boost::beast::http::response<boost::beast::http::string_body>;

// Plain text, JSON and, where there is a database, rows of it.
class Application {
 public:
  // Without a database it has greetings alone.
  explicit Application(std::unique_ptr<Database> database);

  // Calls `reply` once, from this thread or, for what asks the database, from another one. The request must
  // live until then.
  void answer(const Request& request, std::function<void(Response)> reply);

  // Ends once what is being answered is.
  void join() { threads_.join(); }

 private:
  Response rows(const Request& request, std::string_view path, std::string_view query);
  Response updates(const Request& request);
  Response fortunes(const Request& request, const std::string& added);

  std::unique_ptr<Database> database_;
  // Of those that wait for the database.
  boost::asio::thread_pool threads_{Database::kPoolSize};
};
