import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);
const GRACE_MS = 2000;
const { HTTP2, TLS_CERT, TLS_KEY } = process.env;

const answer = (request, response) => {
  response.setHeader("Content-Type", "text/plain");
  if (request.url === "/") {
    response.end("Hello World!");
  } else {
    response.end(`Hello from ${request.url.slice(1)}!`);
  }
};

const identity = () => ({
  cert: readFileSync(TLS_CERT),
  key: readFileSync(TLS_KEY),
});

const create = async () => {
  if (HTTP2) {
    const http2 = await import("node:http2");
    return TLS_CERT
      ? http2.createSecureServer({ ...identity(), allowHTTP1: true }, answer)
      : http2.createServer(answer);
  }
  if (TLS_CERT) {
    const https = await import("node:https");
    return https.createServer(identity(), answer);
  }
  return createServer(answer);
};

const server = await create();
const sessions = new Set();

// Of HTTP/2: idle ones, and clients that do not heed GOAWAY, would keep the server open.
server.on("session", (session) => {
  sessions.add(session);
  session.once("close", () => sessions.delete(session));
});

server.listen(port, host);

process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections?.();
  for (const session of sessions) {
    session.close();
    setTimeout(() => session.destroy(), GRACE_MS).unref();
  }
});
