// Command fib prints the nth Fibonacci number by naive recursion.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func fib(n uint32) uint32 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fib N")
		os.Exit(2)
	}
	n, err := strconv.ParseUint(os.Args[1], 10, 32)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fib:", err)
		os.Exit(2)
	}
	fmt.Println(fib(uint32(n)))
}
