# frozen_string_literal: true

# Answers GET /NAME with "Hello from NAME!".
run(lambda do |env|
  name = env['PATH_INFO'].delete_prefix('/')
  [200, { 'content-type' => 'text/plain' }, ["Hello from #{name}!"]]
end)
