/* Prints the nth Fibonacci number by naive recursion. n comes from the command line, so that no
 * optimiser can fold the answer into a constant. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t fib(uint32_t n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	char *end;
	unsigned long n;

	if (argc != 2 || (n = strtoul(argv[1], &end, 10), *end != '\0' || end == argv[1])) {
		fputs("usage: fib N\n", stderr);
		return 2;
	}
	printf("%" PRIu32 "\n", fib((uint32_t)n));
	return 0;
}
