package app;

import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

final class Greetings {
    private Greetings() {}

    static void mount(Router router) {
        router.get("/plaintext/:name").handler(Greetings::plaintext);
        router.get("/json/:name")
                .respond(context -> Future.succeededFuture(JsonObject.of("message", hello(context))));
    }

    private static void plaintext(RoutingContext context) {
        context.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8");
        context.end(hello(context));
    }

    private static String hello(RoutingContext context) {
        return "Hello, " + context.pathParam("name") + "!";
    }
}
