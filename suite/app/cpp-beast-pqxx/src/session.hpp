#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <memory>

#include "application.hpp"

// A connection of one client: one request after another, pipelined ones too.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, Application& application);

  void read();

 private:
  void answer();
  void write();

  boost::beast::tcp_stream stream_;
  Application& application_;
  boost::beast::flat_buffer buffer_;
  Request request_;
  Response response_;
};
