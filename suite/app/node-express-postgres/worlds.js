import { Router } from "express";

// Of a request; further ones are not looked up.
const MOST_IDS = 500;

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

  return router;
};
