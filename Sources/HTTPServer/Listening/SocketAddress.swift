import CSystem
import Glibc
import HTTP
import Runtime

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

    static func port(of descriptor: Int32) throws(SystemError) -> Int { try local(of: descriptor).port }

    /// The address and the port that a socket is bound to.
    static func local(of descriptor: Int32) throws(SystemError) -> (address: Address, port: Int) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw SystemError("getsockname") }
        let isV4 = storage.ss_family == sa_family_t(AF_INET)
        // The port is at the same place in both address families.
        return withUnsafeBytes(of: &storage) { (Address(bytes: Array(isV4 ? $0[4..<8] : $0[8..<24])), Int($0[2]) << 8 | Int($0[3])) }
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
