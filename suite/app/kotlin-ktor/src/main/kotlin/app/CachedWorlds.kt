package app

import com.github.benmanes.caffeine.cache.Caffeine
import com.github.benmanes.caffeine.cache.LoadingCache
import io.ktor.http.HttpStatusCode
import io.ktor.server.response.respond
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

private const val MOST_CACHED = 20_000L

/** The table `cached_world`, each row of which is read when it is first asked for. */
class CachedWorlds(database: Database) {
    private val cache: LoadingCache<Int, World?> =
        Caffeine.newBuilder().maximumSize(MOST_CACHED).build(database::cachedWorld)

    /** Null for one that is not there. */
    suspend fun find(id: Int): World? = cache.getIfPresent(id) ?: withContext(Dispatchers.IO) { cache.get(id) }
}

fun Route.cachedWorlds(database: Database) {
    val worlds = CachedWorlds(database)
    get("/cached") {
        val found = call.ids().map { worlds.find(it) }
        if (null in found) call.respond(HttpStatusCode.NotFound) else call.respond(found.filterNotNull())
    }
}
