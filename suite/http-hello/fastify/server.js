import { readFileSync } from "node:fs";

import fastify from "fastify";

const { HOST, HTTP2, PORT, TLS_CERT, TLS_KEY } = process.env;
const host = HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? PORT ?? 8080);

const options = { forceCloseConnections: true };
if (HTTP2) {
  options.http2 = true;
}
if (TLS_CERT) {
  options.https = { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
}
if (HTTP2 && TLS_CERT) {
  options.https.allowHTTP1 = true;
}

const app = fastify(options);

app.get("/:name", async (request) => `Hello from ${request.params.name}!`);

await app.listen({ port, host });

process.once("SIGTERM", () => app.close());
