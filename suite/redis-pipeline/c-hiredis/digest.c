#include "digest.h"

#include "options.h"

#include <stdio.h>

static uint64_t add_bytes(uint64_t digest, const char *bytes, size_t length)
{
    for (size_t index = 0; index < length; index++)
        digest = (digest ^ (unsigned char)bytes[index]) * UINT64_C(0x100000001b3);
    return digest;
}

uint64_t digest_add(uint64_t digest, const redisReply *reply)
{
    char number[32];
    switch (reply->type) {
    case REDIS_REPLY_NIL:
        return add_bytes(digest, "_\n", 2);
    case REDIS_REPLY_INTEGER:
        return add_bytes(digest, number, (size_t)snprintf(number, sizeof number, ":%lld\n", reply->integer));
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING:
        digest = add_bytes(digest, "$", 1);
        digest = add_bytes(digest, reply->str, reply->len);
        return add_bytes(digest, "\n", 1);
    default:
        fail("unexpected reply of type %d", reply->type);
    }
}
