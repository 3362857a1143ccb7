package app;

import java.util.Optional;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The table `cached_world`, each row of which is read when it is first asked for. */
@Repository
@EnableCaching
@ConditionalOnProperty("DATABASE_URL")
class CachedWorlds {
    private static final String BY_ID = "SELECT id, randomnumber FROM cached_world WHERE id = ?";

    private final JdbcClient client;

    CachedWorlds(JdbcClient client) {
        this.client = client;
    }

    /** One that another request is reading is waited for. */
    @Cacheable(cacheNames = "worlds", sync = true)
    public Optional<World> find(int id) {
        return client.sql(BY_ID)
                .param(id)
                .query((row, number) -> new World(row.getInt(1), row.getInt(2)))
                .optional();
    }
}
