# frozen_string_literal: true

environment 'production'
bind "tcp://#{ENV.fetch('HOST', '127.0.0.1')}:#{ENV.fetch('PORT', 8080)}"
# As many threads as the pool has connections.
threads 16, 16
log_requests false
quiet
# A process that was told to stop, and did, has not failed.
raise_exception_on_sigterm false
