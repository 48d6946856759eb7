// The parts of Linux that Swift's Glibc module leaves out: epoll and its event and timer descriptors, TCP options, accept4, thread names,
// sched_setattr.
//
// _GNU_SOURCE stays unset: with it, headers that Glibc has already imported would be read a second time with different content.
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

// In <sys/socket.h> only with _GNU_SOURCE.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// In <pthread.h> only with _GNU_SOURCE.
int pthread_setname_np(pthread_t thread, const char *name);

// In <unistd.h> only with _GNU_SOURCE.
long syscall(long number, ...);

// The C library has a wrapper only since glibc 2.41: https://man7.org/linux/man-pages/man2/sched_setattr.2.html `slice` is in nanoseconds;
// kernels before 6.12 ignore it.
static inline int set_batch_scheduling_of_this_thread(int32_t nice, uint64_t slice) {
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; } attributes = {
        .size = sizeof attributes, .policy = SCHED_BATCH, .nice = nice, .runtime = slice};
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
