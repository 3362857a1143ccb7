import express from "express";

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

const server = app.listen(port, "127.0.0.1");

process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
