import { fileURLToPath } from "node:url";

import express from "express";

import { fortunes } from "./fortunes.js";
import { worlds } from "./worlds.js";

const hello = (request) => `Hello, ${request.params.name}!`;

/** The application; without a database it has greetings alone. */
export const build = (sql) => {
  const app = express();

  app.use((request, response, next) => {
    response.set("Server", "Express");
    next();
  });

  app.get("/plaintext/:name", (request, response) => {
    response.type("text/plain").send(hello(request));
  });

  app.get("/json/:name", (request, response) => {
    response.json({ message: hello(request) });
  });

  if (sql) {
    app.set("view engine", "ejs");
    app.set("views", fileURLToPath(new URL("views", import.meta.url)));
    app.use(worlds(sql));
    app.use(fortunes(sql));
  }
  return app;
};
