package app;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.stream.Stream;

/** A pool of connections. */
final class Database {
    private static final int POOL_SIZE = 16;

    private Database() {}

    static Pool pool(Vertx vertx, String url) {
        return PgBuilder.pool()
                .connectingTo(PgConnectOptions.fromUri(url))
                .with(new PoolOptions().setMaxSize(POOL_SIZE))
                .using(vertx)
                .build();
    }

    /** Done once all its connections are open. */
    static Future<Void> opened(Pool pool) {
        List<Future<SqlConnection>> opening =
                Stream.generate(pool::getConnection).limit(POOL_SIZE).toList();
        return Future.all(opening)
                .compose(
                        opened ->
                                Future.all(
                                        opened.<SqlConnection>list().stream()
                                                .map(SqlConnection::close)
                                                .toList()))
                .mapEmpty();
    }
}
