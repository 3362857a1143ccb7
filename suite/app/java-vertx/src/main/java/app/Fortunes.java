package app;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.common.template.TemplateEngine;
import io.vertx.ext.web.templ.pebble.PebbleTemplateEngine;
import io.vertx.sqlclient.Pool;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The table `fortune` as a page. */
final class Fortunes {
    public record Fortune(int id, String message) {}

    private static final String EVERY = "SELECT id, message FROM fortune";

    private final Pool pool;
    private final TemplateEngine templates;

    private Fortunes(Pool pool, TemplateEngine templates) {
        this.pool = pool;
        this.templates = templates;
    }

    static void mount(Router router, Pool pool, Vertx vertx) {
        Fortunes fortunes = new Fortunes(pool, PebbleTemplateEngine.create(vertx));
        router.get("/fortunes").handler(fortunes::answer);
    }

    private void answer(RoutingContext context) {
        page(context.queryParams().get("add"))
                .onSuccess(
                        page -> {
                            context.response()
                                    .putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8");
                            context.end(page);
                        })
                .onFailure(context::fail);
    }

    /** Every fortune and the one that the request adds, by message. */
    private Future<Buffer> page(String added) {
        return pool.preparedQuery(EVERY)
                .execute()
                .compose(
                        rows -> {
                            List<Fortune> fortunes = new ArrayList<>();
                            rows.forEach(
                                    row ->
                                            fortunes.add(
                                                    new Fortune(row.getInteger(0), row.getString(1))));
                            fortunes.add(new Fortune(0, added));
                            fortunes.sort(Comparator.comparing(Fortune::message));
                            return templates.render(
                                    Map.of("fortunes", fortunes), "templates/fortunes.peb");
                        });
    }
}
