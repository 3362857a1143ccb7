"""Prints the nth Fibonacci number by naive recursion."""

import sys


def fib(n: int) -> int:
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def main() -> int:
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        print("usage: fib.py N", file=sys.stderr)
        return 2
    print(fib(int(sys.argv[1])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
