"""Prints what every contender must print for `n`: the nth Fibonacci number modulo 2**32.

Iterative, so that it shares no code path with what it checks.
"""

import sys

UINT32_MODULUS = 2**32


def fibonacci(n: int) -> int:
    """The nth Fibonacci number (0, 1, 1, 2, ...) as an unsigned 32-bit integer."""
    current, following = 0, 1
    for _ in range(n):
        current, following = following, (current + following) % UINT32_MODULUS
    return current


def main() -> int:
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        print("usage: oracle.py N   (N: a whole number, 0 or more)", file=sys.stderr)
        return 2
    print(fibonacci(int(sys.argv[1])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
