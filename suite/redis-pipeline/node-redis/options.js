import { parseArgs } from 'node:util';

/** The command line that every contender of this workload takes. Throws an Error for a person. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string' },
      iterations: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '1' },
      'pipeline-depth': { type: 'string' },
      verify: { type: 'boolean', default: false },
    },
  });
  if (values.port === undefined) throw new Error('--port is required');
  const depth = values['pipeline-depth'];
  return {
    host: values.host,
    port: wholeNumber('--port', values.port),
    iterations: wholeNumber('--iterations', values.iterations),
    rounds: wholeNumber('--rounds', values.rounds),
    // Commands sent before their replies are awaited: a whole round where it is not given.
    depth: depth === undefined ? Infinity : wholeNumber('--pipeline-depth', depth),
    verify: values.verify,
  };
}

function wholeNumber(name, text) {
  if (!/^\d+$/.test(text)) throw new Error(`${name} takes a whole number, not ${text}`);
  return Number(text);
}
