# frozen_string_literal: true

class GreetingsController < ApplicationController
  def plaintext
    render plain: "Hello, #{params[:name]}!"
  end

  def json
    render json: { message: "Hello, #{params[:name]}!" }
  end
end
