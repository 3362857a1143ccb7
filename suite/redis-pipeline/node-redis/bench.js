// The study's Redis pipeline with node-redis.
import { createClient } from 'redis';
import { Digest } from './digest.js';
import { readOptions } from './options.js';
import { handOver, pipelines } from './study.js';

async function run() {
  const options = readOptions(process.argv.slice(2));
  const client = createClient({ socket: { host: options.host, port: options.port, reconnectStrategy: false }, RESP: 2 });
  // The pending call says so as well; without a listener the process would end here.
  client.on('error', () => {});
  await client.connect();
  const digest = options.verify ? new Digest() : null;
  let commands = 0;

  const start = process.hrtime.bigint();
  for (let round = 0; round < options.rounds; round++) {
    for (const pipeline of pipelines(options.iterations, options.depth)) {
      const pipe = client.multi();
      handOver(pipe, pipeline);
      const replies = await pipe.execAsPipeline();
      commands += replies.length;
      if (digest) for (const reply of replies) digest.add(reply);
    }
  }
  const wall = process.hrtime.bigint() - start;

  console.log(`{"wall_ns":${wall},"commands":${commands},"digest":${digest ? `"${digest}"` : null}}`);
  client.destroy();
}

run().catch((error) => {
  // Where several replies are errors, the first says what is wrong.
  const cause = error.errors?.()?.next?.().value ?? error;
  console.error(`node-redis: ${cause.message || cause.code || cause}`);
  process.exit(1);
});
