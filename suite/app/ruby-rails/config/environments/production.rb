# frozen_string_literal: true

require 'securerandom'

Rails.application.configure do
  config.cache_classes = true
  config.eager_load = true
  config.consider_all_requests_local = false

  # A service that keeps sessions across starts sets SECRET_KEY_BASE; here nothing outlives one.
  config.secret_key_base = ENV.fetch('SECRET_KEY_BASE') { SecureRandom.hex(64) }

  # Nothing is said for a request.
  config.log_level = :error
  config.logger = ActiveSupport::Logger.new($stderr)
end
