package bench;

import java.util.List;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The study's Redis pipeline with Jedis. */
public final class Bench {
    private final Options options;
    private final Digest digest;
    private Pipeline pipe;
    private int handedOver;
    private long commands;

    private Bench(Options options) {
        this.options = options;
        this.digest = options.verify() ? new Digest() : null;
    }

    public static void main(String[] arguments) {
        try {
            new Bench(Options.read(arguments)).run();
        } catch (JedisException | IllegalArgumentException | IllegalStateException error) {
            Throwable cause = error;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            System.err.println("java-jedis: " + cause.getMessage());
            System.exit(1);
        }
    }

    private void run() {
        var config = DefaultJedisClientConfig.builder().socketTimeoutMillis(0).build();
        try (Jedis redis = new Jedis(new HostAndPort(options.host(), options.port()), config)) {
            redis.connect();

            long start = System.nanoTime();
            for (int round = 0; round < options.rounds(); round++) {
                round(redis);
            }
            long wall = System.nanoTime() - start;

            System.out.printf(
                    "{\"wall_ns\":%d,\"commands\":%d,\"digest\":%s}%n",
                    wall, commands, digest == null ? "null" : digest.toJson());
        }
    }

    private void round(Jedis redis) {
        int n = options.iterations();
        pipe = redis.pipelined();
        times(1, () -> pipe.del("foo"));
        times(n, () -> pipe.set("foo", "bar"));
        times(n, () -> pipe.get("foo"));
        times(1, () -> pipe.del("foo"));
        times(n, () -> pipe.incr("foo"));
        times(1, () -> pipe.del("foo"));
        times(n, () -> pipe.get("foo"));
        readReplies();
    }

    private void times(int times, Runnable command) {
        for (int count = 0; count < times; count++) {
            command.run();
            if (++handedOver == options.depth()) {
                readReplies();
            }
        }
    }

    private void readReplies() {
        List<Object> replies = pipe.syncAndReturnAll();
        handedOver = 0;
        commands += replies.size();
        for (Object reply : replies) {
            if (reply instanceof JedisDataException error) {
                throw error;
            }
            if (digest != null) {
                digest.add(reply);
            }
        }
    }
}
