package app;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** The server and its routes, on one event loop; without the URL of a database it has greetings alone. */
class ServerVerticle extends VerticleBase {
    private static final long SECOND_MS = 1000;

    private final String databaseUrl;
    private String date = now();

    ServerVerticle(String databaseUrl) {
        this.databaseUrl = databaseUrl;
    }

    @Override
    public Future<?> start() {
        vertx.setPeriodic(SECOND_MS, timer -> date = now());
        Router router = Router.router(vertx);
        router.route().handler(this::head);
        Greetings.mount(router);
        Future<Void> ready = Future.succeededFuture();
        if (databaseUrl != null) {
            Pool pool = Database.pool(vertx, databaseUrl);
            Worlds.mount(router, pool);
            Fortunes.mount(router, pool, vertx);
            ready = Database.opened(pool);
        }
        return ready.compose(
                opened ->
                        vertx.createHttpServer()
                                .requestHandler(router)
                                .listen(
                                        Integer.parseInt(setting("PORT", "8080")),
                                        setting("HOST", "127.0.0.1")));
    }

    /** What Vert.x leaves to its users. */
    private void head(RoutingContext context) {
        context.response().putHeader(HttpHeaders.SERVER, "Vert.x").putHeader(HttpHeaders.DATE, date);
        context.next();
    }

    private static String setting(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null ? otherwise : value;
    }

    private static String now() {
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
    }
}
