# frozen_string_literal: true

require_relative 'boot'

require 'logger'
require 'rails'
require 'active_record/railtie'
require 'action_controller/railtie'
require 'action_view/railtie'

Bundler.require(*Rails.groups)

module App
  # Plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it.
  class Application < Rails::Application
    config.load_defaults 6.1
  end
end
