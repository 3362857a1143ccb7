import fastify from "fastify";

import { database } from "./database.js";

const greeting = {
  response: {
    200: { type: "object", properties: { message: { type: "string" } } },
  },
};

const hello = (request) => `Hello, ${request.params.name}!`;

/** The application; without the URL of a database it has greetings alone. */
export const build = (databaseUrl) => {
  const app = fastify({ forceCloseConnections: true });

  app.addHook("onRequest", async (request, reply) => {
    reply.header("Server", "Fastify");
  });

  app.get("/plaintext/:name", async (request) => hello(request));

  app.get("/json/:name", { schema: greeting }, async (request) => ({
    message: hello(request),
  }));

  if (databaseUrl) {
    app.register(database, { databaseUrl });
  }
  return app;
};
