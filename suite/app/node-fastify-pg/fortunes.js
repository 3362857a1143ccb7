import { fileURLToPath } from "node:url";

import view from "@fastify/view";
import handlebars from "handlebars";

const asked = {
  querystring: {
    type: "object",
    properties: { add: { type: "string" } },
    required: ["add"],
  },
};

const byMessage = (one, other) =>
  one.message < other.message ? -1 : one.message > other.message ? 1 : 0;

/** The table `fortune` as a page. */
export const fortunes = async (app, { pool }) => {
  app.register(view, {
    engine: { handlebars },
    root: fileURLToPath(new URL(".", import.meta.url)),
    production: true,
  });

  app.get("/fortunes", { schema: asked }, async (request, reply) => {
    const { rows } = await pool.query("SELECT id, message FROM fortune");
    rows.push({ id: 0, message: request.query.add });
    rows.sort(byMessage);
    return reply.viewAsync("fortunes.hbs", { fortunes: rows });
  });
};
