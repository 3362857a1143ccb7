package app

import freemarker.cache.ClassTemplateLoader
import io.ktor.serialization.kotlinx.json.json
import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.engine.embeddedServer
import io.ktor.server.freemarker.FreeMarker
import io.ktor.server.netty.Netty
import io.ktor.server.plugins.contentnegotiation.ContentNegotiation
import io.ktor.server.plugins.defaultheaders.DefaultHeaders
import io.ktor.server.routing.routing

/** Plain text, JSON and, where there is a database, rows of it. */
fun Application.module(database: Database?) {
    install(DefaultHeaders)
    install(ContentNegotiation) { json() }
    install(FreeMarker) {
        templateLoader = ClassTemplateLoader(this::class.java.classLoader, "templates")
        // What ends in .ftlh is HTML, and escaped.
        recognizeStandardFileExtensions = true
    }
    routing {
        greetings()
        if (database != null) {
            worlds(database)
            fortunes(database)
            cachedWorlds(database)
        }
    }
}

fun main(args: Array<String>) {
    val host = System.getenv("HOST") ?: "127.0.0.1"
    val port = (args.firstOrNull() ?: System.getenv("PORT") ?: "8080").toInt()
    val database = System.getenv("DATABASE_URL")?.let(::Database)
    val server = embeddedServer(Netty, port = port, host = host) { module(database) }

    // A JVM that is asked to stop reports 143; a server that stopped as asked reports 0.
    Runtime.getRuntime().addShutdownHook(
        Thread {
            server.stop(gracePeriodMillis = 0, timeoutMillis = 1000)
            Runtime.getRuntime().halt(0)
        },
    )
    server.start(wait = true)
}
