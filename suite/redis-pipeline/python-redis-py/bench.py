"""The study's Redis pipeline with redis-py."""

import json
import sys
import time

import redis
from digest import Digest
from options import read_options
from redis.backoff import NoBackoff
from redis.retry import Retry
from study import fill


def main() -> None:
    """Runs it and prints one line of JSON."""
    options = read_options()
    # No retry: it would send a pipeline twice.
    client = redis.Redis(
        host=options.host,
        port=options.port,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
    # Leaves its connection in the pool, for the pipeline to take.
    client.ping()
    digest = Digest() if options.verify else None
    commands = 0

    start = time.perf_counter_ns()
    for _ in range(options.rounds):
        pipe = client.pipeline(transaction=False)
        for _ in fill(pipe, options.iterations, options.pipeline_depth):
            replies = pipe.execute()
            commands += len(replies)
            if digest:
                digest.add(replies)
    wall_ns = time.perf_counter_ns() - start

    print(json.dumps({"wall_ns": wall_ns, "commands": commands, "digest": str(digest) if digest else None}))


if __name__ == "__main__":
    try:
        main()
    except (redis.RedisError, OSError, ValueError) as error:
        sys.exit("python-redis-py: " + str(error).replace("\n", " "))
