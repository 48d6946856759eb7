import CSystem
import Glibc

/// The events that a descriptor is watched for, or is ready for: epoll's own bits.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
    /// Of several loops that watch one socket, the kernel wakes at least one, but not all. Such a watch cannot be changed.
    package static let exclusive = Interest(rawValue: EPOLLEXCLUSIVE.rawValue)
    /// The peer closed its half. It is reported without being asked for.
    package static let readClosed = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// Only reported, never asked for.
    package static let hangUp = Interest(rawValue: EPOLLHUP.rawValue)
    /// Only reported, never asked for.
    package static let failed = Interest(rawValue: EPOLLERR.rawValue)

    /// Whether the socket is closed in both directions or broken, so that nothing can be sent any more.
    package var isBroken: Bool { rawValue & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    package var isReadable: Bool { rawValue & EPOLLIN.rawValue != 0 }
}

/// The owner of a descriptor on a loop. `ready` is called on the loop.
package protocol Watcher: AnyObject {
    nonisolated func ready(_ interest: Interest)
}
