# frozen_string_literal: true

class WorldsController < ApplicationController
  # Of a request; further ones are not looked up.
  MOST_IDS = 500

  # No form, and no session that a stranger could use.
  skip_forgery_protection

  def show
    render json: World.find(number(params[:id]))
  end

  def index
    ids = params[:ids].to_s.split(',').first(MOST_IDS).map { |id| number(id) }
    render json: World.each_of(ids)
  end

  def update
    asked = params.require(:_json).map { |row| row.permit(:id, :randomNumber).to_h }
    values = asked.map { |row| [number(row[:id]), number(row[:randomNumber])] }
    World.each_of(values.map(&:first))
    World.write(values)
    render json: asked
  end
end
