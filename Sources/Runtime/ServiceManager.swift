import Glibc

/// Tells the service manager that started this process (systemd) how the process is doing.
///
/// A message is one datagram of `NAME=value` lines to the socket that the variable `NOTIFY_SOCKET` names. Without that variable nothing is
/// told. <https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html>
package struct ServiceManager: Sendable {
    /// The variables that are meant for this process alone, and not for the processes that it starts.
    package static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// The state of the process that a message reports.
    package enum State: Sendable {
        case ready
        /// Until the next `ready`.
        case reloading
        case stopping
        /// The sign of life that the watchdog waits for.
        case alive
        /// Nothing new but the status.
        case unchanged
    }

    /// The socket's name in the form of `sun_path`.
    private let address: [UInt8]?
    /// The service manager ends the process when it sees no sign of life for this long; `nil` where it does not look.
    package let watchdog: Duration?

    /// Whether messages are read.
    package var isPresent: Bool { address != nil }

    /// - Parameter process: the id of this process; a watchdog may be meant for another one.
    package init(environment: [String: String], process: Int32 = getpid()) {
        address = environment["NOTIFY_SOCKET"].flatMap(Self.address)
        let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        watchdog = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// A path, or with `@` in front a name in Linux's abstract namespace (`man 7 unix`); `nil` for what no socket of this kind can have.
    private static func address(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8)
        switch bytes.first {
        case UInt8(ascii: "/"): bytes.append(0)
        case UInt8(ascii: "@"): bytes[0] = 0
        default: return nil
        }
        return bytes.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) ? bytes : nil
    }

    /// Sends a message. It waits for up to a second where the service manager is busy; a sign of life does not wait.
    ///
    /// - Parameter status: one line for `systemctl status`.
    package func tell(_ state: State, status: String? = nil) throws(SystemError) {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let message = Array(Self.message(state, status, at: MonotonicTime.read()).utf8)
        var flags = Int32(MSG_NOSIGNAL)
        if case .alive = state { flags |= Int32(MSG_DONTWAIT) }
        let sent = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, message, message.count, flags, $0, length) }
        }
        guard sent == message.count else { throw SystemError("sendto") }
    }

    static func message(_ state: State, _ status: String?, at time: MonotonicTime) -> String {
        var lines: [String] =
            switch state {
            case .ready: ["READY=1"]
            // The time tells this reload from an earlier one that is still being reported.
            case .reloading: ["RELOADING=1", "MONOTONIC_USEC=\(time.nanoseconds / 1000)"]
            case .stopping: ["STOPPING=1"]
            case .alive: ["WATCHDOG=1"]
            case .unchanged: []
            }
        if let status { lines.append("STATUS=" + status.split { $0.isNewline }.joined(separator: " ")) }
        return lines.joined(separator: "\n")
    }
}
