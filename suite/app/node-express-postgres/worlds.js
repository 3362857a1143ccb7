import { json, Router } from "express";

// Of a request; further ones are not looked up.
const MOST_IDS = 500;

const isWorld = ({ id, randomNumber }) =>
  Number.isInteger(id) && Number.isInteger(randomNumber);

/** Rows of the table `world`. */
export const worlds = (sql) => {
  const find = async (id) => {
    const [row] = await sql`
      SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ${id}`;
    return row;
  };
  const router = Router();

  router.get("/db", async (request, response) => {
    const id = Number(request.query.id);
    if (!Number.isInteger(id)) {
      return response.sendStatus(400);
    }
    const found = await find(id);
    return found ? response.json(found) : response.sendStatus(404);
  });

  router.get("/queries", async (request, response) => {
    const ids = String(request.query.ids)
      .split(",")
      .slice(0, MOST_IDS)
      .map(Number);
    if (!ids.every(Number.isInteger)) {
      return response.sendStatus(400);
    }
    const found = await Promise.all(ids.map(find));
    return found.includes(undefined)
      ? response.sendStatus(404)
      : response.json(found);
  });

  // Of a row that is given twice the last value stays; rows are locked by id: two requests never wait for
  // each other. One statement, not sql.begin: its BEGIN can go out on a connection that others use as well
  // (porsager/postgres, issue 823).
  const write = (worlds) => {
    const rows = [
      ...new Map(worlds.map((world) => [world.id, world])).values(),
    ].toSorted((one, other) => one.id - other.id);
    return sql`
      UPDATE world SET randomnumber = new.value
      FROM unnest(
        ${rows.map(({ id }) => id)}::integer[],
        ${rows.map(({ randomNumber }) => randomNumber)}::integer[]
      ) AS new (id, value)
      WHERE world.id = new.id`;
  };

  router.post("/updates", json(), async (request, response) => {
    const asked = request.body;
    if (!Array.isArray(asked) || !asked.every(isWorld)) {
      return response.sendStatus(400);
    }
    const found = await Promise.all(asked.map(({ id }) => find(id)));
    if (found.includes(undefined)) {
      return response.sendStatus(404);
    }
    await write(asked);
    response.json(asked);
  });

  return router;
};
