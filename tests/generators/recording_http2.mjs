// HTTP/2 in the clear: on SIGTERM a line of JSON for each different request, and how often it came.
import http2 from "node:http2";

const asked = new Map();
const server = http2.createServer();
server.on("stream", (stream, headers) => {
  const body = [];
  stream.on("data", (part) => body.push(part));
  stream.on("error", () => {});
  stream.on("end", () => {
    const plain = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
    const request = JSON.stringify({
      method: headers[":method"],
      path: headers[":path"],
      body: Buffer.concat(body).toString(),
      headers: Object.fromEntries(plain),
    });
    asked.set(request, (asked.get(request) ?? 0) + 1);
    stream.respond({ ":status": 200 });
    stream.end(`Hello from ${headers[":path"].slice(1)}!`);
  });
});
process.on("SIGTERM", () => {
  for (const [request, count] of asked) {
    console.log(JSON.stringify({ ...JSON.parse(request), count }));
  }
  process.exit(0);
});
server.listen(0, "127.0.0.1", () => console.error(`listening on 127.0.0.1:${server.address().port}`));
