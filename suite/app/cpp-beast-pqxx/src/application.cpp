#include "application.hpp"

#include <ctemplate/template.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace http = boost::beast::http;
using nlohmann::json;

namespace {

// Of a request; further ones are not looked up.
constexpr std::size_t kMostIds = 500;
constexpr char kFortunes[] = "templates/fortunes.tpl";

struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Now, as HTTP writes it; made anew each second.
const std::string& date() {
  thread_local std::time_t of = -1;
  thread_local std::string text;
  if (const std::time_t now = std::time(nullptr); now != of) {
    char buffer[64];
    std::tm parts{};
    gmtime_r(&now, &parts);
    text.assign(buffer, std::strftime(buffer, sizeof buffer, "%a, %d %b %Y %H:%M:%S GMT", &parts));
    of = now;
  }
  return text;
}

Response response(const Request& request, http::status status, const char* type, std::string body) {
  Response made(status, request.version());
  made.set(http::field::server, "Beast");
  made.set(http::field::date, date());
  made.set(http::field::content_type, type);
  made.keep_alive(request.keep_alive());
  made.body() = std::move(body);
  made.prepare_payload();
  return made;
}

Response text(const Request& request, std::string body, http::status status = http::status::ok) {
  return response(request, status, "text/plain; charset=utf-8", std::move(body));
}

Response as_json(const Request& request, const json& value) {
  return response(request, http::status::ok, "application/json", value.dump());
}

Response not_found(const Request& request) { return text(request, "not found", http::status::not_found); }

int number(std::string_view text, int base = 10) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw BadRequest("not a number: " + std::string(text));
  }
  return value;
}

std::string decoded(std::string_view text, bool query) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      out += static_cast<char>(number(text.substr(at + 1, 2), 16));
      at += 2;
    } else {
      out += query && text[at] == '+' ? ' ' : text[at];
    }
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1)) {
    parts.push_back(text.substr(0, end));
  }
  parts.push_back(text);
  return parts;
}

std::string parameter(std::string_view query, std::string_view name) {
  for (const std::string_view pair : split(query, '&')) {
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return decoded(pair.substr(equals + 1), true);
    }
  }
  throw BadRequest(std::string(name) + " is missing");
}

bool takes_prefix(std::string_view& path, std::string_view prefix) {
  if (path.substr(0, prefix.size()) != prefix) {
    return false;
  }
  path.remove_prefix(prefix.size());
  return true;
}

json shown(const World& world) { return {{"id", world.id}, {"randomNumber", world.random_number}}; }

}  // namespace

Application::Application(std::unique_ptr<Database> database) : database_(std::move(database)) {
  // Read once: a broken template ends the start, not a request.
  if (database_ && !ctemplate::LoadTemplate(kFortunes, ctemplate::DO_NOT_STRIP)) {
    throw std::runtime_error(std::string(kFortunes) + " cannot be read");
  }
}

void Application::answer(const Request& request, std::function<void(Response)> reply) {
  const std::string_view target(request.target().data(), request.target().size());
  const auto question = target.find('?');
  const auto path = target.substr(0, question);
  const auto query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  std::string_view name = path;
  if (takes_prefix(name, "/plaintext/")) {
    return reply(text(request, "Hello, " + decoded(name, false) + "!"));
  }
  if (takes_prefix(name, "/json/")) {
    return reply(as_json(request, {{"message", "Hello, " + decoded(name, false) + "!"}}));
  }
  if (!database_) {
    return reply(not_found(request));
  }
  boost::asio::post(threads_, [this, &request, path, query, reply = std::move(reply)] {
    try {
      reply(rows(request, path, query));
    } catch (const BadRequest& error) {
      reply(text(request, error.what(), http::status::bad_request));
    } catch (const json::exception& error) {
      reply(text(request, error.what(), http::status::bad_request));
    } catch (const std::exception& error) {
      reply(text(request, error.what(), http::status::internal_server_error));
    }
  });
}

Response Application::rows(const Request& request, std::string_view path, std::string_view query) {
  if (path == "/db") {
    const auto found = database_->worlds({number(parameter(query, "id"))});
    return found ? as_json(request, shown(found->front())) : not_found(request);
  }
  if (path == "/queries") {
    const std::string text = parameter(query, "ids");
    std::vector<int> ids;
    for (const std::string_view id : split(text, ',')) {
      if (ids.size() == kMostIds) {
        break;
      }
      ids.push_back(number(id));
    }
    const auto found = database_->worlds(ids);
    if (!found) {
      return not_found(request);
    }
    json all = json::array();
    std::transform(found->begin(), found->end(), std::back_inserter(all), shown);
    return as_json(request, all);
  }
  if (path == "/updates" && request.method() == http::verb::post) {
    return updates(request);
  }
  return path == "/fortunes" ? fortunes(request, parameter(query, "add")) : not_found(request);
}

Response Application::updates(const Request& request) {
  const json asked = json::parse(request.body());
  std::vector<int> ids;
  std::map<int, int> values;
  for (const json& row : asked) {
    ids.push_back(row.at("id").get<int>());
    // Of a row that is given twice the last value stays.
    values[ids.back()] = row.at("randomNumber").get<int>();
  }
  if (!database_->worlds(ids)) {
    return not_found(request);
  }
  database_->write(values);
  return as_json(request, asked);
}

Response Application::fortunes(const Request& request, const std::string& added) {
  std::vector<Fortune> all = database_->fortunes();
  all.push_back({0, added});
  std::sort(all.begin(), all.end(),
            [](const Fortune& one, const Fortune& other) { return one.message < other.message; });
  ctemplate::TemplateDictionary page("fortunes");
  for (const Fortune& fortune : all) {
    ctemplate::TemplateDictionary* row = page.AddSectionDictionary("FORTUNE");
    row->SetIntValue("ID", fortune.id);
    row->SetValue("MESSAGE", fortune.message);
  }
  std::string html;
  ctemplate::ExpandTemplate(kFortunes, ctemplate::DO_NOT_STRIP, &page, &html);
  return response(request, http::status::ok, "text/html; charset=utf-8", std::move(html));
}
