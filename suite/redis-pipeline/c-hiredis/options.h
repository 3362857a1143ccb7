#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

/* The command line that every contender of this workload takes. */
struct options {
    const char *host;
    int port;
    long iterations;
    long rounds;
    /* Commands sent before their replies are awaited; 0 is a whole round. */
    long depth;
    bool verify;
};

/* Ends the process with one line on stderr where an argument is wrong. */
struct options read_options(int count, char **arguments);

/* Ends the process: one line on stderr, exit status 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
