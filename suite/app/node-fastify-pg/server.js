import { build } from "./app.js";

const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

const app = build(process.env.DATABASE_URL);

await app.listen({ port, host: "127.0.0.1" });

process.once("SIGTERM", () => app.close());
