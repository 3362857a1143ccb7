import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import express from "express";

const host = process.env.HOST ?? "127.0.0.1";
const port = Number(process.argv[2] ?? process.env.PORT ?? 8080);

// The policy is Node's own: round robin, unless NODE_CLUSTER_SCHED_POLICY=none says that the
// workers accept from one shared socket.
function supervise() {
  let stopping = false;

  process.once("SIGTERM", () => {
    stopping = true;
    for (const worker of Object.values(cluster.workers)) {
      worker.process.kill("SIGTERM");
    }
  });

  // A worker that cannot start would otherwise be forked again for ever: give up, and say so.
  cluster.on("exit", (worker, code, signal) => {
    if (!stopping) {
      console.error(`worker ${worker.process.pid} ended (${signal ?? code}) unasked`);
      process.exit(1);
    }
  });

  for (let i = 0; i < availableParallelism(); i++) {
    cluster.fork();
  }
}

function serve() {
  const app = express();

  app.get("/:name", (request, response) => {
    response.type("text/plain").send(`Hello from ${request.params.name}!`);
  });

  app.get("/", (request, response) => {
    response.type("text/plain").send("Hello World!");
  });

  const server = app.listen(port, host);

  process.once("SIGTERM", () => {
    server.closeAllConnections();
    cluster.worker.disconnect();
  });
}

if (cluster.isPrimary) {
  supervise();
} else {
  serve();
}
