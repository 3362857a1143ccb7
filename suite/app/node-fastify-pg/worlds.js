// Of a request; further ones are not looked up.
const MOST_IDS = 500;

const world = {
  type: "object",
  properties: {
    id: { type: "integer" },
    randomNumber: { type: "integer" },
  },
};

const one = {
  querystring: {
    type: "object",
    properties: { id: { type: "integer" } },
    required: ["id"],
  },
  response: { 200: world },
};

/** The schema of a request for several rows. */
export const several = {
  querystring: {
    type: "object",
    properties: { ids: { type: "string", pattern: "^\\d+(,\\d+)*$" } },
    required: ["ids"],
  },
  response: { 200: { type: "array", items: world } },
};

/** As texts. */
export const idsOf = (request) =>
  request.query.ids.split(",").slice(0, MOST_IDS);

const byId = (one, other) => one.id - other.id;

const changed = {
  body: {
    type: "array",
    items: { ...world, required: ["id", "randomNumber"] },
  },
  response: { 200: { type: "array", items: world } },
};

/** Rows of the table `world`. */
export const worlds = async (app, { pool }) => {
  const find = async (id) => {
    const { rows } = await pool.query(
      'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1',
      [id],
    );
    return rows[0];
  };

  app.get("/db", { schema: one }, async (request, reply) => {
    const found = await find(request.query.id);
    return found ?? reply.callNotFound();
  });

  app.get("/queries", { schema: several }, async (request, reply) => {
    const found = await Promise.all(idsOf(request).map(find));
    return found.includes(undefined) ? reply.callNotFound() : found;
  });

  // Rows are written by id: two requests never wait for each other.
  const write = async (worlds) => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      for (const { id, randomNumber } of worlds.toSorted(byId)) {
        await client.query(
          "UPDATE world SET randomnumber = $2 WHERE id = $1",
          [id, randomNumber],
        );
      }
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    } finally {
      client.release();
    }
  };

  app.post("/updates", { schema: changed }, async (request, reply) => {
    const found = await Promise.all(request.body.map(({ id }) => find(id)));
    if (found.includes(undefined)) {
      return reply.callNotFound();
    }
    await write(request.body);
    return request.body;
  });
};
