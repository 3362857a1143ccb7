# frozen_string_literal: true

class World < ApplicationRecord
  self.table_name = 'world'

  # These rows, one query after another, of one that comes twice as well.
  def self.each_of(ids)
    uncached { ids.map { |id| find(id) } }
  end

  # New values, in one transaction and by id: two requests never wait for each other. Of a row that is given
  # twice the last value stays.
  def self.write(values)
    transaction do
      values.to_h.sort.each { |id, value| where(id: id).update_all(randomnumber: value) }
    end
  end

  def as_json(*)
    { id: id, randomNumber: randomnumber }
  end
end
