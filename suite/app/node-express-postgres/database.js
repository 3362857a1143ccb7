import postgres from "postgres";

const POOL_SIZE = Number(process.env.POOL_SIZE ?? 16);

/** A pool of connections that are all opened at the start. */
export const open = async (databaseUrl) => {
  const sql = postgres(databaseUrl, { max: POOL_SIZE });
  const opened = await Promise.all(
    Array.from({ length: POOL_SIZE }, () => sql.reserve()),
  );
  opened.forEach((connection) => connection.release());
  return sql;
};
