import express from "express";

import { worlds } from "./worlds.js";

const hello = (request) => `Hello, ${request.params.name}!`;

/** The application; without a database it has no `/db` and no `/queries`. */
export const build = (sql) => {
  const app = express();

  app.get("/plaintext/:name", (request, response) => {
    response.type("text/plain").send(hello(request));
  });

  app.get("/json/:name", (request, response) => {
    response.json({ message: hello(request) });
  });

  if (sql) {
    app.use(worlds(sql));
  }
  return app;
};
