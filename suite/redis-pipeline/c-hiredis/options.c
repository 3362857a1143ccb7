#include "options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("c-hiredis: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static long whole_number(const char *name, const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || number < 0 || number > INT_MAX)
        fail("%s takes a whole number, not %s", name, text);
    return number;
}

struct options read_options(int count, char **arguments)
{
    struct options options = {.host = "127.0.0.1", .iterations = 100000, .rounds = 1};
    for (int index = 1; index < count; index++) {
        const char *name = arguments[index];
        if (strcmp(name, "--verify") == 0) {
            options.verify = true;
            continue;
        }
        if (++index == count)
            fail("%s: unknown option, or its value is missing", name);
        const char *value = arguments[index];
        if (strcmp(name, "--host") == 0)
            options.host = value;
        else if (strcmp(name, "--port") == 0)
            options.port = (int)whole_number(name, value);
        else if (strcmp(name, "--iterations") == 0)
            options.iterations = whole_number(name, value);
        else if (strcmp(name, "--rounds") == 0)
            options.rounds = whole_number(name, value);
        else if (strcmp(name, "--pipeline-depth") == 0)
            options.depth = whole_number(name, value);
        else
            fail("unknown option %s", name);
    }
    if (options.port == 0)
        fail("--port is required");
    return options;
}
