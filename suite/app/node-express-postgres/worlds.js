import { Router } from "express";
import postgres from "postgres";

const POOL_SIZE = 16;
// Of a request; further ones are not looked up.
const MOST_IDS = 500;

/** A pool of connections that are all opened at the start. */
export const open = async (databaseUrl) => {
  const sql = postgres(databaseUrl, { max: POOL_SIZE });
  const opened = await Promise.all(
    Array.from({ length: POOL_SIZE }, () => sql.reserve()),
  );
  opened.forEach((connection) => connection.release());
  return sql;
};

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
