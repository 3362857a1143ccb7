defmodule Fib do
  @moduledoc "Prints the nth Fibonacci number by naive recursion."

  def main([argument]) do
    case Integer.parse(argument) do
      {n, ""} when n >= 0 -> n |> fib() |> IO.puts()
      _not_a_number -> usage()
    end
  end

  def main(_arguments), do: usage()

  defp fib(n) when n < 2, do: n
  defp fib(n), do: fib(n - 1) + fib(n - 2)

  defp usage do
    IO.puts(:stderr, "usage: fib N")
    System.halt(2)
  end
end
