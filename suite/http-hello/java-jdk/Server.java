import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Answers GET /NAME with "Hello from NAME!", on the HTTP server that comes with the JDK. */
public final class Server {
    private Server() {}

    private static void hello(HttpExchange exchange) throws IOException {
        String name = exchange.getRequestURI().getPath().substring(1);
        byte[] body = ("Hello from " + name + "!").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Virtual threads from JDK 21 on; before, a thread for each request at hand. */
    private static Executor executor() throws ReflectiveOperationException {
        try {
            return (Executor)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException olderJdk) {
            return Executors.newCachedThreadPool();
        }
    }

    private static InetAddress host() throws IOException {
        return InetAddress.getByName(System.getenv().getOrDefault("HOST", "127.0.0.1"));
    }

    private static int port(String[] args) {
        String fromEnvironment = System.getenv().getOrDefault("PORT", "8080");
        return Integer.parseInt(args.length > 0 ? args[0] : fromEnvironment);
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(host(), port(args)), 0);
        server.createContext("/", Server::hello);
        server.setExecutor(executor());
        server.start();

        // A JVM that is asked to stop reports 143; a server that stopped as asked reports 0.
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    server.stop(0);
                                    Runtime.getRuntime().halt(0);
                                }));
    }
}
