require "ecr"
require "html"

# A row of the table `fortune`.
record App::Fortune, id : Int32, message : String

# The table as a page.
class App::FortunesPage
  def initialize(@fortunes : Array(Fortune))
  end

  ECR.def_to_s "#{__DIR__}/views/fortunes.ecr"
end
