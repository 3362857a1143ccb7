import { SQL } from "bun";

const POOL_SIZE = 16;

/** A pool of connections that are all opened at the start. */
export const open = async (url: string) => {
  const sql = new SQL(url, { max: POOL_SIZE });
  const opened = await Promise.all(
    Array.from({ length: POOL_SIZE }, () => sql.reserve()),
  );
  opened.forEach((connection) => connection.release());
  return sql;
};
