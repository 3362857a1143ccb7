#ifndef DIGEST_H
#define DIGEST_H

#include <hiredis/hiredis.h>
#include <stdint.h>

/* FNV-1a (64 bits) over `$text\n`, `:number\n`, `_\n`, as workload.toml defines it. */
#define DIGEST_START UINT64_C(0xcbf29ce484222325)

uint64_t digest_add(uint64_t digest, const redisReply *reply);

#endif
