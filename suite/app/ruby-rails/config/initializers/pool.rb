# frozen_string_literal: true

# All connections are opened at the start.
Rails.application.config.after_initialize do
  if ENV['DATABASE_URL']
    pool = ActiveRecord::Base.connection_pool
    Array.new(pool.size) { pool.checkout }.each { |connection| pool.checkin(connection) }
  end
end
