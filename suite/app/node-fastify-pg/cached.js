import { LRUCache } from "lru-cache";

import { idsOf, several } from "./worlds.js";

const MOST_CACHED = 20_000;

/** Rows of the table `cached_world`, each of which is read when it is first asked for. */
export const cached = async (app, { pool }) => {
  const cache = new LRUCache({
    max: MOST_CACHED,
    fetchMethod: async (id) => {
      const { rows } = await pool.query(
        'SELECT id, randomnumber AS "randomNumber" FROM cached_world WHERE id = $1',
        [id],
      );
      return rows[0];
    },
  });

  app.get("/cached", { schema: several }, async (request, reply) => {
    const ids = idsOf(request);
    const found = await Promise.all(ids.map((id) => cache.fetch(id)));
    return found.includes(undefined) ? reply.callNotFound() : found;
  });
};
