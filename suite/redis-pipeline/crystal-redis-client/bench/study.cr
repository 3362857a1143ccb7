# The study's commands, handed over in order, as many at a time as a pipeline takes.
class Bench::Study
  enum Command
    Del
    Set
    Get
    Incr
  end

  def initialize(iterations : Int32)
    @runs = [
      {Command::Del, 1},
      {Command::Set, iterations},
      {Command::Get, iterations},
      {Command::Del, 1},
      {Command::Incr, iterations},
      {Command::Del, 1},
      {Command::Get, iterations},
    ] of {Command, Int32}
    @run = 0
    @done_of_run = 0
  end

  # All commands of the round have been handed over.
  def ended? : Bool
    @run == @runs.size
  end

  # Hands the next commands over to *pipe*: at most *depth*, all that are left where it is nil.
  def fill(pipe, depth : Int32?) : Nil
    room = depth || Int32::MAX
    until ended? || room == 0
      command, times = @runs[@run]
      taken = Math.min(times - @done_of_run, room)
      hand_over(pipe, command, taken)
      room -= taken
      @done_of_run += taken
      if @done_of_run == times
        @run += 1
        @done_of_run = 0
      end
    end
  end

  private def hand_over(pipe, command : Command, times : Int32) : Nil
    case command
    in .del?  then times.times { pipe.del "foo" }
    in .set?  then times.times { pipe.set "foo", "bar" }
    in .get?  then times.times { pipe.get "foo" }
    in .incr? then times.times { pipe.incr "foo" }
    end
  end
end
