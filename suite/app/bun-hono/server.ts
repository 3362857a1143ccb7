import { build } from "./app";
import { open } from "./database";

const { DATABASE_URL, HOST, PORT } = process.env;

const sql = DATABASE_URL ? await open(DATABASE_URL) : undefined;
const server = Bun.serve({
  hostname: HOST ?? "127.0.0.1",
  port: Number(PORT ?? 8080),
  fetch: build(sql).fetch,
});

process.once("SIGTERM", async () => {
  await server.stop(true);
  await sql?.close();
});
