import type { SQL } from "bun";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";

type World = { id: number; randomNumber: number };

// Of a request; further ones are not looked up.
const MOST_IDS = 500;

const isWorld = ({ id, randomNumber }: World) =>
  Number.isInteger(id) && Number.isInteger(randomNumber);

const number = (text?: string) => {
  const value = Number(text);
  if (!text || !Number.isInteger(value)) {
    throw new HTTPException(400);
  }
  return value;
};

/** Rows of the table `world`. */
export const worlds = (sql: SQL) => {
  const find = async (id: number): Promise<World> => {
    const [row] = await sql`
      SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ${id}`;
    if (!row) {
      throw new HTTPException(404);
    }
    return row;
  };

  // Of a row that is given twice the last value stays; rows are locked by id: two requests never wait for
  // each other.
  const write = (worlds: World[]) =>
    sql.begin(async (transaction) => {
      for (const { id, randomNumber } of worlds.toSorted(
        (one, other) => one.id - other.id,
      )) {
        await transaction`
          UPDATE world SET randomnumber = ${randomNumber} WHERE id = ${id}`;
      }
    });

  const app = new Hono();

  app.get("/db", async (context) =>
    context.json(await find(number(context.req.query("id")))),
  );

  app.get("/queries", async (context) => {
    const ids = (context.req.query("ids") ?? "").split(",").slice(0, MOST_IDS);
    return context.json(await Promise.all(ids.map(number).map(find)));
  });

  app.post("/updates", async (context) => {
    const asked: World[] = await context.req.json().catch(() => undefined);
    if (!Array.isArray(asked) || !asked.every(isWorld)) {
      throw new HTTPException(400);
    }
    await Promise.all(asked.map(({ id }) => find(id)));
    await write(asked);
    return context.json(asked);
  });

  return app;
};
