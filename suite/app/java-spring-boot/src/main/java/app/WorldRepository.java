package app;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

@Repository
@ConditionalOnProperty("DATABASE_URL")
class WorldRepository {
    private static final String BY_ID = "SELECT id, randomnumber FROM world WHERE id = ?";
    private static final String UPDATE = "UPDATE world SET randomnumber = ? WHERE id = ?";

    private final JdbcClient client;
    private final JdbcTemplate template;

    WorldRepository(JdbcClient client, JdbcTemplate template) {
        this.client = client;
        this.template = template;
    }

    Optional<World> find(int id) {
        return client.sql(BY_ID)
                .param(id)
                .query((row, number) -> new World(row.getInt(1), row.getInt(2)))
                .optional();
    }

    /** New values, in one transaction and by id: two requests never wait for each other. */
    @Transactional
    public void write(Map<Integer, Integer> values) {
        template.batchUpdate(
                UPDATE,
                new TreeMap<>(values)
                        .entrySet().stream()
                                .map(row -> new Object[] {row.getValue(), row.getKey()})
                                .toList());
    }
}
