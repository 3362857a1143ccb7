# frozen_string_literal: true

environment 'production'
host = ENV.fetch('HOST', '127.0.0.1')
port = ENV.fetch('PORT', 8080)
if ENV.key?('TLS_CERT')
  ssl_bind host, port, { cert: ENV['TLS_CERT'], key: ENV['TLS_KEY'], verify_mode: 'none' }
else
  bind "tcp://#{host}:#{port}"
end
log_requests false
quiet
# A process that was told to stop, and did, has not failed.
raise_exception_on_sigterm false
