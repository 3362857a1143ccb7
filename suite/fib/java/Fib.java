/** Prints the nth Fibonacci number by naive recursion on ints that are taken as unsigned. */
public final class Fib {
    private Fib() {}

    private static int fib(int n) {
        if (Integer.compareUnsigned(n, 2) < 0) {
            return n;
        }
        return fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] args) {
        if (args.length != 1 || !args[0].matches("\\d+")) {
            System.err.println("usage: Fib N");
            System.exit(2);
        }
        System.out.println(Integer.toUnsignedString(fib(Integer.parseUnsignedInt(args[0]))));
    }
}
