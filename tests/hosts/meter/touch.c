/* touch FREED_MB KEPT_MB BURN_MS CHILDREN [hold]
 * Forks so many children, touches memory and gives it back, touches memory and keeps it, burns CPU
 * time, waits for the children, which have done the same. With `hold` it says "up" and stays. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *touch(size_t bytes) {
    if (bytes == 0) return 0;
    char *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(9);
    madvise(memory, bytes, MADV_NOHUGEPAGE); /* exactly this much, whatever the system's habit */
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
    return memory;
}

static long long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void burn(long milliseconds) {
    long long until = cpu_ns() + milliseconds * 1000000LL;
    while (cpu_ns() < until) {}
}

static size_t megabytes(const char *text) { return (size_t)atol(text) << 20; }

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    int children = atoi(argv[4]), is_child = 0;
    for (int child = 0; child < children && !is_child; child++) is_child = fork() == 0;
    char *freed = touch(megabytes(argv[1]));
    if (freed) munmap(freed, megabytes(argv[1]));
    touch(megabytes(argv[2]));
    burn(atol(argv[3]));
    while (wait(0) > 0) {}
    if (argc > 5 && !is_child) {
        if (write(1, "up\n", 3) != 3) return 1;
        pause();
    }
    return 0;
}
