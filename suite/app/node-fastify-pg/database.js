import pg from "pg";

import { cached } from "./cached.js";
import { fortunes } from "./fortunes.js";
import { worlds } from "./worlds.js";

const POOL_SIZE = 16;

/** What is served from a database, through a pool of connections that are all opened at the start. */
export const database = async (app, { databaseUrl }) => {
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

  app.register(worlds, { pool });
  app.register(fortunes, { pool });
  app.register(cached, { pool });
};
