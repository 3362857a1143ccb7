# frozen_string_literal: true

# Prints the nth Fibonacci number by naive recursion.
def fib(n)
  return n if n < 2

  fib(n - 1) + fib(n - 2)
end

unless ARGV.size == 1 && ARGV[0].match?(/\A\d+\z/)
  warn 'usage: fib.rb N'
  exit 2
end

puts fib(ARGV[0].to_i)
