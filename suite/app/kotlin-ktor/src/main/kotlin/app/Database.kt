package app

import com.zaxxer.hikari.HikariConfig
import com.zaxxer.hikari.HikariDataSource
import java.sql.Connection
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

private const val POOL_SIZE = 16
private const val BY_ID = "SELECT id, randomnumber FROM world WHERE id = ?"
private const val CACHED_BY_ID = "SELECT id, randomnumber FROM cached_world WHERE id = ?"
private const val UPDATE = "UPDATE world SET randomnumber = ? WHERE id = ?"
private const val FORTUNES = "SELECT id, message FROM fortune"

/** A pool of connections, all opened at the start. JDBC waits, so on threads that may. */
class Database(url: String) {
    private val pool = HikariDataSource(
        HikariConfig().apply {
            jdbcUrl = url
            maximumPoolSize = POOL_SIZE
        },
    )

    /** These rows, one query after another; null for one that is not there. */
    suspend fun worlds(ids: List<Int>): List<World?> = onConnection {
        prepareStatement(BY_ID).use { statement ->
            ids.map { id ->
                statement.setInt(1, id)
                statement.executeQuery().use { row ->
                    if (row.next()) World(row.getInt(1), row.getInt(2)) else null
                }
            }
        }
    }

    /** A row of the table `cached_world`; null where it is not there. It waits. */
    fun cachedWorld(id: Int): World? = pool.connection.use { connection ->
        connection.prepareStatement(CACHED_BY_ID).use { statement ->
            statement.setInt(1, id)
            statement.executeQuery().use { row ->
                if (row.next()) World(row.getInt(1), row.getInt(2)) else null
            }
        }
    }

    /** New values, in one transaction and by id: two requests never wait for each other. */
    suspend fun write(values: Map<Int, Int>) = onConnection {
        autoCommit = false
        prepareStatement(UPDATE).use { statement ->
            for ((id, value) in values.toSortedMap()) {
                statement.setInt(1, value)
                statement.setInt(2, id)
                statement.addBatch()
            }
            statement.executeBatch()
        }
        commit()
    }

    suspend fun fortunes(): List<Fortune> = onConnection {
        prepareStatement(FORTUNES).use { statement ->
            statement.executeQuery().use { rows ->
                buildList { while (rows.next()) add(Fortune(rows.getInt(1), rows.getString(2))) }
            }
        }
    }

    private suspend fun <T> onConnection(use: Connection.() -> T): T = withContext(Dispatchers.IO) {
        pool.connection.use { it.use() }
    }
}
