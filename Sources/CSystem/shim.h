// What Swift's Glibc module leaves out of Linux: epoll and its event and timer descriptors, TCP options, accept4, thread names.
// _GNU_SOURCE stays unset: it would give headers that Glibc has already imported a second, different shape.
#pragma once
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// Behind _GNU_SOURCE in <sys/socket.h>.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// Behind _GNU_SOURCE in <pthread.h>.
int pthread_setname_np(pthread_t thread, const char *name);
