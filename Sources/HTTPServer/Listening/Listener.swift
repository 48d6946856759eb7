import CSystem
import Glibc
import HTTP
import Logging
import Runtime
import Text

/// One listening socket of one loop.
final class Listener: Watcher {
    let port: Int
    private let descriptor: Int32
    private let connections: Connections
    /// Whether the socket is one that all loops share, and that stays open when this process ends.
    private let isInherited: Bool
    private var isOpen = true

    init(host: String, port: Int, connections: Connections) throws(SystemError) {
        let (descriptor, address, number) = try Self.socket(host, port)
        self.descriptor = descriptor
        self.connections = connections
        isInherited = false
        do throws(SystemError) {
            try Self.set(descriptor, SOL_SOCKET, SO_REUSEPORT)
            // Accepted sockets inherit this option, which saves a call for each.
            try Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            try SocketAddress.bind(descriptor, address, number)
            guard Glibc.listen(descriptor, 4096) == 0 else { throw SystemError("listen") }
            self.port = try SocketAddress.port(of: descriptor)
            try watch()
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Accepts from a socket that the service manager opened. Other loops accept from it, too.
    init(_ socket: InheritedSocket, connections: Connections) throws(SystemError) {
        descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SystemError("fcntl") }
        port = socket.port
        self.connections = connections
        isInherited = true
        do throws(SystemError) {
            try Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            try watch()
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// A new connection on a shared socket wakes one loop, and not all of them.
    private func watch() throws(SystemError) {
        try connections.loop.watch(descriptor, for: isInherited ? [.read, .exclusive] : .read, self)
    }

    private static func socket(_ host: String, _ port: Int) throws(SystemError) -> (descriptor: Int32, Address, UInt16) {
        let address = host == "localhost" ? .loopback : Address(host)
        guard let address, let number = UInt16(exactly: port) else { throw SystemError("listen on \(host):\(port)", code: EINVAL) }
        let descriptor = Glibc.socket(address.isV4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue) | sockNonblockCloexec, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        do throws(SystemError) { try set(descriptor, SOL_SOCKET, SO_REUSEADDR) } catch {
            Glibc.close(descriptor)
            throw error
        }
        return (descriptor, address, number)
    }

    /// Throws when another process already listens there, even one that would share the port as the loops of one process do.
    static func requireFree(host: String, port: Int) throws(SystemError) {
        let (descriptor, address, number) = try socket(host, port)
        defer { Glibc.close(descriptor) }
        try SocketAddress.bind(descriptor, address, number)
        guard Glibc.listen(descriptor, 1) == 0 else { throw SystemError("listen") }
    }

    /// Of a shared socket, a loop takes one connection in a turn, so that the other loops get theirs.
    nonisolated func ready(_ interest: Interest) { accept(most: isInherited ? 1 : 64) }

    /// Accepts waiting connections, but at most `most`, so that open connections get their turn.
    private func accept(most: Int) {
        for _ in 0..<most where isOpen {
            guard let (socket, peer) = SocketAddress.accept(descriptor) else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { pause() }
                return
            }
            connections.open(socket, peer)
        }
    }

    /// Waits before it accepts again: without a free descriptor, it would fail at once and keep the loop busy.
    private func pause() {
        let error = SystemError("accept")
        connections.log.error("cannot accept connections", metadata: ["error": "\(error)"])
        // The kernel takes no change of an exclusive watch, so it ends and begins anew.
        connections.loop.unwatch(descriptor)
        connections.loop.schedule(after: .milliseconds(250)) { [self] in
            guard isOpen else { return }
            do { try watch() } catch { pause() }
        }
    }

    /// Takes the connections that the kernel has accepted already, then closes. Those of an inherited socket wait there for the next process.
    func stop() {
        guard isOpen else { return }
        if isInherited { connections.loop.unwatch(descriptor) } else { accept(most: 4096) }
        isOpen = false
        connections.loop.close(descriptor)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) throws(SystemError) {
        var on: Int32 = 1
        guard setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size)) == 0 else { throw SystemError("setsockopt") }
    }
}
