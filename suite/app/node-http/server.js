import { createServer } from "node:http";

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

const routes = {
  plaintext: ["text/plain; charset=utf-8", (hello) => hello],
  json: ["application/json", (hello) => JSON.stringify({ message: hello })],
};

/** As it was meant; nothing where it was escaped wrongly. */
const unescaped = (name) => {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
};

const server = createServer((request, response) => {
  const [, route, escaped] = request.url.split("/");
  const name = escaped && unescaped(escaped);
  if (!name || !Object.hasOwn(routes, route)) {
    response.writeHead(404).end();
    return;
  }
  const [type, render] = routes[route];
  const body = render(`Hello, ${name}!`);
  response
    .writeHead(200, {
      Server: "Node",
      "Content-Type": type,
      "Content-Length": Buffer.byteLength(body),
    })
    .end(body);
});

server.listen(port, host);

process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
