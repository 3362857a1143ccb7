module deadheat.example/fib

go 1.21
