def fib(n : UInt32) : UInt32
  return n if n < 2
  fib(n - 1) + fib(n - 2)
end

n = ARGV.first?.try(&.to_u32?)
abort "usage: fib N", status: 2 unless n && ARGV.size == 1

puts fib(n)
