import type { SQL } from "bun";
import { Hono } from "hono";

import { fortunes } from "./fortunes";
import { worlds } from "./worlds";

const hello = (name: string) => `Hello, ${name}!`;

/** The application; without a database it has greetings alone. */
export const build = (sql?: SQL) => {
  const app = new Hono();

  app.use(async (context, next) => {
    context.header("Server", "Bun");
    await next();
  });

  app.get("/plaintext/:name", (context) =>
    context.text(hello(context.req.param("name"))),
  );

  app.get("/json/:name", (context) =>
    context.json({ message: hello(context.req.param("name")) }),
  );

  if (sql) {
    app.route("/", worlds(sql));
    app.route("/", fortunes(sql));
  }
  return app;
};
