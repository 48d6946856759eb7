// What Swift's Glibc module leaves out of Linux: epoll and its event and timer descriptors, TCP options, accept4, thread names,
// sched_setattr.
// _GNU_SOURCE stays unset: it would give headers that Glibc has already imported a second, different shape.
#pragma once
#include <linux/sched.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

// Behind _GNU_SOURCE in <sys/socket.h>.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// Behind _GNU_SOURCE in <pthread.h>.
int pthread_setname_np(pthread_t thread, const char *name);

// Behind _GNU_SOURCE in <unistd.h>.
long syscall(long number, ...);

// The C library has no wrapper before glibc 2.41: https://man7.org/linux/man-pages/man2/sched_setattr.2.html
// `slice` is in nanoseconds; kernels before 6.12 take no notice of it.
static inline int set_batch_scheduling_of_this_thread(int32_t nice, uint64_t slice) {
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; } attributes = {
        .size = sizeof attributes, .policy = SCHED_BATCH, .nice = nice, .runtime = slice};
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
