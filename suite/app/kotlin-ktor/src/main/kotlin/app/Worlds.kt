package app

import io.ktor.http.HttpStatusCode
import io.ktor.server.application.ApplicationCall
import io.ktor.server.plugins.BadRequestException
import io.ktor.server.request.receive
import io.ktor.server.response.respond
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.routing.post
import io.ktor.server.util.getOrFail
import kotlinx.serialization.Serializable

/** Of a request; further ones are not looked up. */
private const val MOST_IDS = 500

@Serializable
data class World(val id: Int, val randomNumber: Int)

private fun number(text: String): Int =
    text.toIntOrNull() ?: throw BadRequestException("$text is no number")

fun ApplicationCall.ids(): List<Int> =
    parameters.getOrFail("ids").split(',').take(MOST_IDS).map(::number)

fun Route.worlds(database: Database) {
    get("/db") {
        val (found) = database.worlds(listOf(number(call.parameters.getOrFail("id"))))
        if (found == null) call.respond(HttpStatusCode.NotFound) else call.respond(found)
    }
    get("/queries") {
        val found = database.worlds(call.ids())
        if (null in found) call.respond(HttpStatusCode.NotFound) else call.respond(found.filterNotNull())
    }
    // Of a row that is given twice the last value stays.
    post("/updates") {
        val asked = call.receive<List<World>>()
        if (null in database.worlds(asked.map(World::id))) {
            call.respond(HttpStatusCode.NotFound)
        } else {
            database.write(asked.associate { it.id to it.randomNumber })
            call.respond(asked)
        }
    }
}
