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
    private var isOpen = true

    init(host: String, port: Int, connections: Connections) throws(SystemError) {
        let (descriptor, address, number) = try Self.socket(host, port)
        self.descriptor = descriptor
        self.connections = connections
        do throws(SystemError) {
            try Self.set(descriptor, SOL_SOCKET, SO_REUSEPORT)
            // Accepted sockets inherit this option, which saves a call for each.
            try Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
            try SocketAddress.bind(descriptor, address, number)
            guard Glibc.listen(descriptor, 4096) == 0 else { throw SystemError("listen") }
            self.port = try SocketAddress.port(of: descriptor)
            try connections.loop.watch(descriptor, for: .read, self)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
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

    nonisolated func ready(_ interest: Interest) { accept(most: 64) }

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
        try? connections.loop.rewatch(descriptor, for: [])
        connections.loop.schedule(after: .milliseconds(250)) { [self] in
            if isOpen { try? connections.loop.rewatch(descriptor, for: .read) }
        }
    }

    /// Takes the connections that the kernel has accepted already, then closes.
    func stop() {
        guard isOpen else { return }
        accept(most: 4096)
        isOpen = false
        connections.loop.close(descriptor)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) throws(SystemError) {
        var on: Int32 = 1
        guard setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size)) == 0 else { throw SystemError("setsockopt") }
    }
}

let sockNonblockCloexec = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

/// Converts between `sockaddr` and `Address`.
enum SocketAddress {
    static func bind(_ descriptor: Int32, _ address: Address, _ port: UInt16) throws(SystemError) {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { bytes in
            if address.isV4 {
                let text = sockaddr_in(
                    sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian, sin_addr: in_addr(), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
                bytes.storeBytes(of: text, as: sockaddr_in.self)
                bytes[4...].copyBytes(from: address.bytes)
                return MemoryLayout<sockaddr_in>.size
            }
            var text = sockaddr_in6()
            text.sin6_family = sa_family_t(AF_INET6)
            text.sin6_port = port.bigEndian
            bytes.storeBytes(of: text, as: sockaddr_in6.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[8..<24]).copyBytes(from: address.bytes)
            return MemoryLayout<sockaddr_in6>.size
        }
        let result = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(length)) }
        }
        guard result == 0 else { throw SystemError("bind") }
    }

    static func port(of descriptor: Int32) throws(SystemError) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw SystemError("getsockname") }
        // The port is at the same place in both address families.
        return withUnsafeBytes(of: &storage) { Int($0[2]) << 8 | Int($0[3]) }
    }

    /// `nil` when no connection waits, or when `errno` has a reason.
    static func accept(_ descriptor: Int32) -> (socket: Int32, peer: Address)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let socket = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept4(descriptor, $0, &length, sockNonblockCloexec) }
        }
        guard socket >= 0 else { return nil }
        let isV4 = storage.ss_family == sa_family_t(AF_INET)
        return (socket, withUnsafeBytes(of: &storage) { Address(bytes: Array(isV4 ? $0[4..<8] : $0[8..<24])) })
    }
}
