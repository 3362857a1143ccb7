require "json"

# A row of the table `world`.
struct App::World
  include JSON::Serializable

  getter id : Int32
  @[JSON::Field(key: "randomNumber")]
  getter random_number : Int32

  def initialize(@id, @random_number)
  end
end
