import { createServer } from "node:http";

const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

const server = createServer((request, response) => {
  response.setHeader("Content-Type", "text/plain");
  if (request.url === "/") {
    response.end("Hello World!");
  } else {
    response.end(`Hello from ${request.url.slice(1)}!`);
  }
});

server.listen(port, "127.0.0.1");

process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
