# frozen_string_literal: true

require 'json'
require 'sinatra/base'
require 'time'
require_relative 'database'

# Plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it.
class App < Sinatra::Base
  # Of a request; further ones are not looked up.
  MOST_IDS = 500

  # A name may hold a backslash, which that middleware makes a slash of.
  set :protection, except: :path_traversal
  set :erb, escape_html: true
  set :database, (Database.new(ENV['DATABASE_URL']) if ENV['DATABASE_URL'])

  # Puma itself sends neither.
  before do
    headers 'Server' => 'Puma', 'Date' => Time.now.httpdate
  end

  get '/plaintext/:name' do |name|
    content_type 'text/plain'
    "Hello, #{name}!"
  end

  get '/json/:name' do |name|
    json(message: "Hello, #{name}!")
  end

  if database
    get '/db' do
      json(shown(settings.database.world(number(params['id']))))
    end

    get '/queries' do
      ids = params['ids'].to_s.split(',').first(MOST_IDS).map { |id| number(id) }
      json(settings.database.each_world(ids).map { |row| shown(row) })
    end

    post '/updates' do
      asked = JSON.parse(request.body.read)
      values = asked.map { |row| [Integer(row['id']), Integer(row['randomNumber'])] }
      settings.database.each_world(values.map(&:first)).each { |row| shown(row) }
      settings.database.write(values)
      json(asked)
    end

    get '/fortunes' do
      rows = settings.database.fortunes << { id: 0, message: params['add'].to_s }
      erb :fortunes, locals: { fortunes: rows.sort_by { |row| row[:message] } }
    end
  end

  private

  def json(value)
    content_type :json
    JSON.generate(value)
  end

  def shown(row)
    halt 404 unless row
    { id: row[:id], randomNumber: row[:randomnumber] }
  end

  def number(text)
    Integer(text, 10, exception: false) || halt(400)
  end
end
