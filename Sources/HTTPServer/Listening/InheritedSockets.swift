import CSystem
import Glibc
package import HTTP
package import Runtime

/// The listening sockets that the service manager opened before this process began, and keeps open when it ends (socket activation). Clients
/// that connect while the process is started anew wait in them, and none is refused.
///
/// They are descriptors from 3 on. `LISTEN_FDS` has their number, `LISTEN_FDNAMES` their names, and `LISTEN_PID` the process that is meant.
/// <https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html>
package struct InheritedSockets: Sendable {
    /// The variables that are meant for this process alone.
    package static let variables = ["LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID"]

    /// The reason why what was handed over cannot be used.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        case malformed
        case unnamed
        case notListening(name: String)
        case failed(SystemError)

        package var description: String {
            switch self {
            case .malformed: "LISTEN_FDS is not the number of the sockets that were handed over"
            case .unnamed: "LISTEN_FDNAMES does not name each socket that was handed over"
            case .notListening(let name): "the socket \(name) does not listen at a TCP port"
            case .failed(let error): "\(error)"
            }
        }
    }

    private let sockets: [InheritedSocket]

    /// Takes over the sockets that the variables of the environment tell of; none where they are meant for another process.
    ///
    /// - Parameter first: the descriptor of the first socket.
    package init(environment: [String: String], process: Int32 = getpid(), first: Int32 = 3) throws(Problem) {
        guard let pid = environment["LISTEN_PID"], Int32(pid) == process, let number = environment["LISTEN_FDS"] else {
            sockets = []
            return
        }
        guard let count = Int32(number), (0...1024).contains(count) else { throw .malformed }
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard names.count == count || count == 0 else { throw .unnamed }
        var sockets: [InheritedSocket] = []
        for (descriptor, name) in zip(first..., names.prefix(Int(count))) {
            do {
                sockets.append(try InheritedSocket(name: String(name), descriptor: descriptor))
            } catch {
                // A descriptor that is not a socket at all has another error than one of another kind.
                throw error.code == EINVAL || error.code == ENOTSOCK ? .notListening(name: String(name)) : .failed(error)
            }
        }
        self.sockets = sockets
    }

    /// The names of all sockets, each once.
    package var names: Set<String> { Set(sockets.map(\.name)) }

    package subscript(name: String) -> [InheritedSocket] { sockets.filter { $0.name == name } }
}

/// One listening socket that the service manager opened. All loops accept from it.
package struct InheritedSocket: Sendable {
    package let name: String
    package let address: Address
    package let port: Int
    let descriptor: Int32

    /// Throws `EINVAL` for a socket that is not a listening one of TCP.
    fileprivate init(name: String, descriptor: Int32) throws(SystemError) {
        let isListening = try Self.option(SO_ACCEPTCONN, of: descriptor) == 1
        let family = try Self.option(SO_DOMAIN, of: descriptor)
        guard isListening, try Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue), family == AF_INET || family == AF_INET6
        else { throw SystemError("listen", code: EINVAL) }
        // Processes that this one starts must not have the port, and no loop may wait in `accept`.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { throw SystemError("fcntl") }
        (address, port) = try SocketAddress.local(of: descriptor)
        self.name = name
        self.descriptor = descriptor
    }

    private static func option(_ option: Int32, of descriptor: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 else { throw SystemError("getsockopt") }
        return value
    }
}
