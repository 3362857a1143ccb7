import { readFileSync } from "node:fs";

import express from "express";

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

const app = express();
if (process.env.ETAG === "off") {
  app.disable("etag");
}

app.get("/:name", (request, response) => {
  response.type("text/plain").send(`Hello from ${request.params.name}!`);
});

app.get("/", (request, response) => {
  response.type("text/plain").send("Hello World!");
});

const listen = async () => {
  const { TLS_CERT, TLS_KEY } = process.env;
  if (!TLS_CERT) {
    return app.listen(port, host);
  }
  const https = await import("node:https");
  const identity = { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
  return https.createServer(identity, app).listen(port, host);
};

const server = await listen();

process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
