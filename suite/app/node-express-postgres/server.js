import { build } from "./app.js";
import { open } from "./database.js";

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);
const databaseUrl = process.env.DATABASE_URL;

const sql = databaseUrl ? await open(databaseUrl) : undefined;
const server = build(sql).listen(port, host);

process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  sql?.end({ timeout: 1 });
});
