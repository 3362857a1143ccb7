#include "database.hpp"

#include <utility>

Database::Database(const std::string& url) {
  for (std::size_t opened = 0; opened < kPoolSize; ++opened) {
    auto connection = std::make_unique<pqxx::connection>(url);
    connection->prepare("by_id", "SELECT id, randomnumber FROM world WHERE id = $1");
    connection->prepare("update", "UPDATE world SET randomnumber = $2 WHERE id = $1");
    connection->prepare("fortunes", "SELECT id, message FROM fortune");
    idle_.push_back(std::move(connection));
  }
}

Database::Borrowed Database::borrow() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !idle_.empty(); });
  pqxx::connection* connection = idle_.back().release();
  idle_.pop_back();
  return {connection, [this](pqxx::connection* back) {
            {
              std::lock_guard lock(mutex_);
              idle_.emplace_back(back);
            }
            returned_.notify_one();
          }};
}

std::optional<std::vector<World>> Database::worlds(const std::vector<int>& ids) {
  auto connection = borrow();
  pqxx::nontransaction session(*connection);
  std::vector<World> found;
  found.reserve(ids.size());
  for (int id : ids) {
    const pqxx::result rows = session.exec_prepared("by_id", id);
    if (rows.empty()) {
      return std::nullopt;
    }
    found.push_back({rows[0][0].as<int>(), rows[0][1].as<int>()});
  }
  return found;
}

void Database::write(const std::map<int, int>& values) {
  auto connection = borrow();
  pqxx::work transaction(*connection);
  for (const auto& [id, value] : values) {
    transaction.exec_prepared0("update", id, value);
  }
  transaction.commit();
}

std::vector<Fortune> Database::fortunes() {
  auto connection = borrow();
  pqxx::nontransaction session(*connection);
  std::vector<Fortune> found;
  for (const auto& row : session.exec_prepared("fortunes")) {
    found.push_back({row[0].as<int>(), row[1].as<std::string>()});
  }
  return found;
}
