/* The study's Redis pipeline with hiredis: redisAppendCommand, then redisGetReply. */

#include "digest.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

struct bench {
    redisContext *redis;
    bool verify;
    uint64_t digest;
    long handed_over;
    long commands;
};

static void read_replies(struct bench *bench)
{
    for (; bench->handed_over > 0; bench->handed_over--) {
        redisReply *reply;
        if (redisGetReply(bench->redis, (void **)&reply) != REDIS_OK)
            fail("%s", bench->redis->errstr);
        if (reply->type == REDIS_REPLY_ERROR)
            fail("%s", reply->str);
        if (bench->verify)
            bench->digest = digest_add(bench->digest, reply);
        freeReplyObject(reply);
        bench->commands++;
    }
}

static void send_times(struct bench *bench, const char *command, long times, long depth)
{
    for (long sent = 0; sent < times; sent++) {
        if (redisAppendCommand(bench->redis, command) != REDIS_OK)
            fail("%s", bench->redis->errstr);
        if (++bench->handed_over == depth)
            read_replies(bench);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int count, char **arguments)
{
    struct options options = read_options(count, arguments);
    struct bench bench = {.verify = options.verify, .digest = DIGEST_START};
    bench.redis = redisConnect(options.host, options.port);
    if (bench.redis == NULL || bench.redis->err)
        fail("%s", bench.redis ? bench.redis->errstr : "out of memory");

    int64_t start = now_ns();
    for (long round = 0; round < options.rounds; round++) {
        long n = options.iterations;
        send_times(&bench, "DEL foo", 1, options.depth);
        send_times(&bench, "SET foo bar", n, options.depth);
        send_times(&bench, "GET foo", n, options.depth);
        send_times(&bench, "DEL foo", 1, options.depth);
        send_times(&bench, "INCR foo", n, options.depth);
        send_times(&bench, "DEL foo", 1, options.depth);
        send_times(&bench, "GET foo", n, options.depth);
        read_replies(&bench);
    }
    int64_t wall_ns = now_ns() - start;

    printf("{\"wall_ns\":%" PRId64 ",\"commands\":%ld,\"digest\":", wall_ns, bench.commands);
    if (options.verify)
        printf("\"%016" PRIx64 "\"}\n", bench.digest);
    else
        printf("null}\n");
    redisFree(bench.redis);
    return 0;
}
