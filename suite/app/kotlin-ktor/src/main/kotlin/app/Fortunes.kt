package app

import io.ktor.server.freemarker.FreeMarkerContent
import io.ktor.server.response.respond
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.util.getOrFail

data class Fortune(val id: Int, val message: String)

fun Route.fortunes(database: Database) {
    get("/fortunes") {
        val fortunes = database.fortunes() + Fortune(0, call.parameters.getOrFail("add"))
        val page = mapOf("fortunes" to fortunes.sortedBy(Fortune::message))
        call.respond(FreeMarkerContent("fortunes.ftlh", page))
    }
}
