/* Says nothing, does nothing, ends with status 0: some tens of kilobytes. */
#include <sys/syscall.h>

__attribute__((noreturn)) void _start(void) {
    for (;;) {
#if defined(__x86_64__)
        __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
        register long number __asm__("x8") = SYS_exit_group;
        register long status __asm__("x0") = 0;
        __asm__ volatile("svc 0" : : "r"(number), "r"(status) : "memory");
#else
#error "no way to end a program is written down for this architecture"
#endif
    }
}
