# frozen_string_literal: true

Rails.application.routes.draw do
  # A name may have dots, which are no format.
  constraints name: %r{[^/]+} do
    get 'plaintext/:name', to: 'greetings#plaintext', format: false
    get 'json/:name', to: 'greetings#json', format: false
  end

  if ENV['DATABASE_URL']
    get 'db', to: 'worlds#show'
    get 'queries', to: 'worlds#index'
    post 'updates', to: 'worlds#update'
    get 'fortunes', to: 'fortunes#index'
  end
end
