# frozen_string_literal: true

require 'sequel'

# Rows of a PostgreSQL, by a pool whose connections are all opened at the start.
class Database
  POOL_SIZE = 16

  def initialize(url)
    @db = Sequel.connect(url, max_connections: POOL_SIZE, preconnect: :concurrently)
    @db.freeze
  end

  # The row of that id, or nil.
  def world(id)
    worlds.first(id: id)
  end

  # These rows, one query after another, on one connection; nil for one that is not there.
  def each_world(ids)
    @db.synchronize { ids.map { |id| world(id) } }
  end

  # New values, in one transaction and by id: two requests never wait for each other. Of a row that is given
  # twice the last value stays.
  def write(values)
    @db.transaction do
      values.to_h.sort.each { |id, value| @db[:world].where(id: id).update(randomnumber: value) }
    end
  end

  def fortunes
    @db[:fortune].select(:id, :message).all
  end

  private

  def worlds
    @db[:world].select(:id, :randomnumber)
  end
end
