// The study's Redis pipeline with ioredis.
import { Redis } from 'ioredis';
import { Digest } from './digest.js';
import { readOptions } from './options.js';
import { handOver, pipelines } from './study.js';

async function run() {
  const options = readOptions(process.argv.slice(2));
  const client = new Redis({ host: options.host, port: options.port, lazyConnect: true, retryStrategy: null });
  // The pending call says so as well; the library would print it otherwise.
  let lastError;
  client.on('error', (error) => { lastError = error; });
  await client.connect().catch((error) => { throw lastError ?? error; });
  const digest = options.verify ? new Digest() : null;
  let commands = 0;

  const start = process.hrtime.bigint();
  for (let round = 0; round < options.rounds; round++) {
    for (const pipeline of pipelines(options.iterations, options.depth)) {
      const pipe = client.pipeline();
      handOver(pipe, pipeline);
      const replies = await pipe.exec();
      commands += replies.length;
      for (const [error, reply] of replies) {
        if (error) throw error;
        if (digest) digest.add(reply);
      }
    }
  }
  const wall = process.hrtime.bigint() - start;

  console.log(`{"wall_ns":${wall},"commands":${commands},"digest":${digest ? `"${digest}"` : null}}`);
  client.disconnect();
}

run().catch((error) => {
  console.error(`ioredis: ${error.message || error.code || error}`);
  process.exit(1);
});
