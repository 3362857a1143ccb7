require "http/server"
require "uri"
require "./database"

# Answers each route; without a database those of greetings alone.
class App::Router
  include HTTP::Handler

  # Of a request; further ones are not looked up.
  MOST_IDS = 500

  record Greeting, message : String do
    include JSON::Serializable
  end

  def initialize(@database : Database?)
  end

  def call(context : HTTP::Server::Context) : Nil
    response = context.response
    response.headers["Server"] = "Crystal"
    response.headers["Date"] = HTTP.format_time(Time.utc)
    answer(context.request, response)
  rescue Database::NotFound
    context.response.respond_with_status(:not_found)
  rescue ArgumentError | KeyError | JSON::ParseException
    context.response.respond_with_status(:bad_request)
  end

  private def answer(request, response) : Nil
    case request.path
    when %r(\A/plaintext/([^/]+)\z)
      response.content_type = "text/plain; charset=utf-8"
      response.print hello($1)
    when %r(\A/json/([^/]+)\z)
      json(response, Greeting.new(hello($1)))
    else
      rows(request, response, @database || raise Database::NotFound.new)
    end
  end

  private def rows(request, response, database) : Nil
    params = request.query_params
    case {request.method, request.path}
    when {"GET", "/db"}
      json(response, database.worlds([params["id"].to_i]).first)
    when {"GET", "/queries"}
      json(response, database.worlds(params["ids"].split(',').first(MOST_IDS).map(&.to_i)))
    when {"POST", "/updates"}
      asked = Array(World).from_json(request.body || "")
      database.worlds(asked.map(&.id))
      database.write(asked)
      json(response, asked)
    when {"GET", "/fortunes"}
      fortunes = database.fortunes << Fortune.new(0, params["add"])
      response.content_type = "text/html; charset=utf-8"
      FortunesPage.new(fortunes.sort_by(&.message)).to_s(response)
    else
      raise Database::NotFound.new
    end
  end

  private def hello(escaped : String) : String
    "Hello, #{URI.decode(escaped)}!"
  end

  private def json(response, value) : Nil
    response.content_type = "application/json"
    value.to_json(response)
  end
end
