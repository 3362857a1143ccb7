package app;

import io.vertx.core.Vertx;

/** Plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it. */
public class Application {
    public static void main(String[] args) {
        Vertx vertx = Vertx.vertx();

        // A JVM that is asked to stop reports 143; a server that stopped as asked reports 0.
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    vertx.close().await();
                                    Runtime.getRuntime().halt(0);
                                }));

        vertx.deployVerticle(new ServerVerticle(System.getenv("DATABASE_URL")))
                .onFailure(
                        cause -> {
                            System.err.println(cause.getMessage());
                            Runtime.getRuntime().halt(1);
                        });
    }
}
