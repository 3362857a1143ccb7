import pg from "pg";

const POOL_SIZE = 16;

const schema = {
  querystring: {
    type: "object",
    properties: { id: { type: "integer" } },
    required: ["id"],
  },
  response: {
    200: {
      type: "object",
      properties: {
        id: { type: "integer" },
        randomNumber: { type: "integer" },
      },
    },
  },
};

/** Rows of the table `world`, through a pool of connections that are all opened at the start. */
export const worlds = async (app, { databaseUrl }) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    idleTimeoutMillis: 0,
  });
  const opened = await Promise.all(
    Array.from({ length: POOL_SIZE }, () => pool.connect()),
  );
  opened.forEach((client) => client.release());
  app.addHook("onClose", () => pool.end());

  app.get("/db", { schema }, async (request, reply) => {
    const { rows } = await pool.query(
      'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1',
      [request.query.id],
    );
    if (rows.length === 0) {
      return reply.callNotFound();
    }
    return rows[0];
  });
};
