package app;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A pool of connections, all opened at the start. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("DATABASE_URL")
class Database {
    private static final int POOL_SIZE = 16;

    @Bean
    HikariDataSource dataSource(@Value("${DATABASE_URL}") String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(POOL_SIZE);
        return new HikariDataSource(config);
    }
}
