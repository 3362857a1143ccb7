import { build } from "./app.js";

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

const app = build(process.env.DATABASE_URL);

await app.listen({ port, host });

process.once("SIGTERM", () => app.close());
