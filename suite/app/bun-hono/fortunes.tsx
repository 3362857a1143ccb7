import type { SQL } from "bun";
import { Hono } from "hono";
import { html } from "hono/html";

type Fortune = { id: number; message: string };

const Page = ({ fortunes }: { fortunes: Fortune[] }) => (
  <html>
    <head>
      <title>Fortunes</title>
    </head>
    <body>
      <table>
        <tr>
          <th>id</th>
          <th>message</th>
        </tr>
        {fortunes.map(({ id, message }) => (
          <tr>
            <td>{id}</td>
            <td>{message}</td>
          </tr>
        ))}
      </table>
    </body>
  </html>
);

const byMessage = (one: Fortune, other: Fortune) =>
  one.message < other.message ? -1 : one.message > other.message ? 1 : 0;

/** The table `fortune` as a page. */
export const fortunes = (sql: SQL) => {
  const app = new Hono();

  app.get("/fortunes", async (context) => {
    const rows: Fortune[] = await sql`SELECT id, message FROM fortune`;
    const every = [
      ...rows,
      { id: 0, message: context.req.query("add") ?? "" },
    ].toSorted(byMessage);
    return context.html(html`<!DOCTYPE html>${(<Page fortunes={every} />)}`);
  });

  return app;
};
