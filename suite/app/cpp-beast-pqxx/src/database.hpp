#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

struct World {
  int id;
  int random_number;
};

struct Fortune {
  int id;
  std::string message;
};

// Rows of a PostgreSQL, by a pool whose connections are all opened at the start. Every call waits for its
// answer.
class Database {
 public:
  static constexpr std::size_t kPoolSize = 16;

  explicit Database(const std::string& url);

  // These rows, one query after another, on one connection; nothing where one is not there.
  std::optional<std::vector<World>> worlds(const std::vector<int>& ids);

  // New values, in one transaction and by id: two requests never wait for each other.
  void write(const std::map<int, int>& values);

  std::vector<Fortune> fortunes();

 private:
  using Connection = std::unique_ptr<pqxx::connection>;
  // Gives its connection back when it goes.
  using Borrowed = std::unique_ptr<pqxx::connection, std::function<void(pqxx::connection*)>>;

  Borrowed borrow();

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Connection> idle_;
};
