package app;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Rows of the table `world`. */
final class Worlds {
    /** Of a request; further ones are not looked up. */
    private static final int MOST_IDS = 500;

    private static final String BY_ID = "SELECT id, randomnumber FROM world WHERE id = $1";
    private static final String UPDATE = "UPDATE world SET randomnumber = $2 WHERE id = $1";

    private final Pool pool;

    private Worlds(Pool pool) {
        this.pool = pool;
    }

    static void mount(Router router, Pool pool) {
        Worlds worlds = new Worlds(pool);
        router.get("/db").respond(worlds::world);
        router.get("/queries").respond(worlds::worlds);
        router.post("/updates").handler(BodyHandler.create(false)).respond(worlds::update);
    }

    private Future<JsonObject> world(RoutingContext context) {
        return find(number(context.queryParams().get("id")));
    }

    private Future<JsonArray> worlds(RoutingContext context) {
        String[] ids = context.queryParams().get("ids").split(",");
        return find(Stream.of(ids).limit(MOST_IDS).map(Worlds::number));
    }

    /** Of a row that is given twice the last value stays. */
    private Future<JsonArray> update(RoutingContext context) {
        JsonArray asked = context.body().asJsonArray();
        Map<Integer, Integer> values = new TreeMap<>();
        for (Object row : asked) {
            JsonObject world = (JsonObject) row;
            values.put(world.getInteger("id"), world.getInteger("randomNumber"));
        }
        return find(asked.stream().map(row -> ((JsonObject) row).getInteger("id")))
                .compose(found -> write(values))
                .map(asked);
    }

    /** In one transaction, and by id as the map is: two requests never wait for each other. */
    private Future<?> write(Map<Integer, Integer> values) {
        List<Tuple> rows =
                values.entrySet().stream()
                        .map(row -> Tuple.of(row.getKey(), row.getValue()))
                        .toList();
        return pool.withTransaction(
                connection -> connection.preparedQuery(UPDATE).executeBatch(rows));
    }

    /** All at once, over the pool. */
    private Future<JsonArray> find(Stream<Integer> ids) {
        return Future.all(ids.map(this::find).toList()).map(all -> new JsonArray(all.list()));
    }

    private Future<JsonObject> find(int id) {
        return pool.preparedQuery(BY_ID)
                .execute(Tuple.of(id))
                .map(
                        rows -> {
                            if (rows.size() == 0) {
                                throw new HttpException(404);
                            }
                            Row row = rows.iterator().next();
                            return JsonObject.of(
                                    "id", row.getInteger(0), "randomNumber", row.getInteger(1));
                        });
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException cause) {
            throw new HttpException(400, cause);
        }
    }
}
