# frozen_string_literal: true

class ApplicationController < ActionController::Base
  before_action :say_who_and_when

  private

  # Puma itself sends neither.
  def say_who_and_when
    response.headers['Server'] = 'Puma'
    response.headers['Date'] = Time.now.httpdate
  end

  def number(text)
    Integer(text.to_s, 10, exception: false) || raise(ActionController::BadRequest)
  end
end
