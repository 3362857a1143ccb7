import fastify from "fastify";

const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

const app = fastify({ forceCloseConnections: true });

app.get("/:name", async (request) => `Hello from ${request.params.name}!`);

await app.listen({ port, host: "127.0.0.1" });

process.once("SIGTERM", () => app.close());
