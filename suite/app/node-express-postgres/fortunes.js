import { Router } from "express";

const byMessage = (one, other) =>
  one.message < other.message ? -1 : one.message > other.message ? 1 : 0;

/** The table `fortune` as a page. */
export const fortunes = (sql) => {
  const router = Router();

  router.get("/fortunes", async (request, response) => {
    const rows = await sql`SELECT id, message FROM fortune`;
    const every = [...rows, { id: 0, message: String(request.query.add) }];
    every.sort(byMessage);
    response.render("fortunes", { fortunes: every });
  });

  return router;
};
