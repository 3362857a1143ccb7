# frozen_string_literal: true

class FortunesController < ApplicationController
  def index
    every = Fortune.all.to_a << Fortune.new(id: 0, message: params[:add])
    @fortunes = every.sort_by(&:message)
  end
end
