package app

import io.ktor.server.response.respond
import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.util.getOrFail
import kotlinx.serialization.Serializable

@Serializable
data class Greeting(val message: String)

fun Route.greetings() {
    get("/plaintext/{name}") {
        call.respondText("Hello, ${call.parameters.getOrFail("name")}!")
    }
    get("/json/{name}") {
        call.respond(Greeting("Hello, ${call.parameters.getOrFail("name")}!"))
    }
}
