/** One round of the study's commands, in order: runs of one command, cut where a pipeline of `depth` is full. */
export function* pipelines(iterations, depth) {
  const runs = [['del', 1], ['set', iterations], ['get', iterations], ['del', 1], ['incr', iterations], ['del', 1], ['get', iterations]];
  let pipeline = [];
  let room = depth;
  for (const [command, times] of runs) {
    for (let left = times; left > 0;) {
      const taken = Math.min(left, room);
      pipeline.push([command, taken]);
      left -= taken;
      room -= taken;
      if (room === 0) {
        yield pipeline;
        pipeline = [];
        room = depth;
      }
    }
  }
  if (pipeline.length > 0) yield pipeline;
}

/** Hands the commands of one pipeline to `pipe`, which has them as methods. */
export function handOver(pipe, pipeline) {
  for (const [command, times] of pipeline) {
    for (let count = 0; count < times; count++) {
      if (command === 'set') pipe.set('foo', 'bar');
      else pipe[command]('foo');
    }
  }
}
