package bench;

/** The command line that every contender of this workload takes; a depth of 0 is a whole round. */
record Options(String host, int port, int iterations, int rounds, int depth, boolean verify) {
    static Options read(String[] arguments) {
        String host = "127.0.0.1";
        int port = 0;
        int iterations = 100_000;
        int rounds = 1;
        int depth = 0;
        boolean verify = false;
        for (int index = 0; index < arguments.length; index++) {
            String name = arguments[index];
            if (name.equals("--verify")) {
                verify = true;
                continue;
            }
            if (++index == arguments.length) {
                throw new IllegalArgumentException(name + ": unknown option, or its value is missing");
            }
            String value = arguments[index];
            switch (name) {
                case "--host" -> host = value;
                case "--port" -> port = wholeNumber(name, value);
                case "--iterations" -> iterations = wholeNumber(name, value);
                case "--rounds" -> rounds = wholeNumber(name, value);
                case "--pipeline-depth" -> depth = wholeNumber(name, value);
                default -> throw new IllegalArgumentException("unknown option " + name);
            }
        }
        if (port == 0) {
            throw new IllegalArgumentException("--port is required");
        }
        return new Options(host, port, iterations, rounds, depth, verify);
    }

    private static int wholeNumber(String name, String value) {
        if (!value.matches("\\d{1,9}")) {
            throw new IllegalArgumentException(name + " takes a whole number, not " + value);
        }
        return Integer.parseInt(value);
    }
}
