require "db"
require "pg"
require "./fortune"
require "./world"

# Rows of a PostgreSQL, by a pool whose connections are all opened at the start.
class App::Database
  class NotFound < Exception
  end

  POOL_SIZE = 16
  BY_ID     = "SELECT id, randomnumber FROM world WHERE id = $1"
  UPDATE    = "UPDATE world SET randomnumber = $2 WHERE id = $1"
  FORTUNES  = "SELECT id, message FROM fortune"

  @db : DB::Database

  def initialize(url : String)
    uri = URI.parse(url)
    params = uri.query_params
    # Else it keeps one that nobody uses, and opens others anew.
    {"initial_pool_size", "max_pool_size", "max_idle_pool_size"}.each do |name|
      params[name] = POOL_SIZE.to_s
    end
    uri.query_params = params
    @db = DB.open(uri)
  end

  # These rows, one query after another, on one connection.
  def worlds(ids : Array(Int32)) : Array(World)
    @db.using_connection do |connection|
      ids.map do |id|
        row = connection.query_one?(BY_ID, id, as: {Int32, Int32}) || raise NotFound.new
        World.new(*row)
      end
    end
  end

  # New values, in one transaction and by id: two requests never wait for each other. Of a row that is given
  # twice the last value stays.
  def write(worlds : Array(World)) : Nil
    @db.transaction do |transaction|
      worlds.sort_by(&.id).each do |world|
        transaction.connection.exec(UPDATE, world.id, world.random_number)
      end
    end
  end

  def fortunes : Array(Fortune)
    @db.query_all(FORTUNES, as: {Int32, String}).map { |row| Fortune.new(*row) }
  end
end
