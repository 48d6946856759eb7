import Glibc
import HTTP

/// The addresses of this machine's network interfaces.
enum OwnAddresses {
    static func contains(_ address: Address) -> Bool { address.isLoopback || ofInterfaces().contains(address) }

    private static func ofInterfaces() -> Set<Address> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: Set<Address> = []
        var next = first
        while let interface = next {
            if let socket = interface.pointee.ifa_addr, let address = address(socket) { addresses.insert(address) }
            next = interface.pointee.ifa_next
        }
        return addresses
    }

    /// `nil` for the address of another protocol, such as that of the network card itself.
    private static func address(_ socket: UnsafePointer<sockaddr>) -> Address? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(text.count)
        guard getnameinfo(socket, socklen_t(MemoryLayout<sockaddr_in6>.size), &text, length, nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return Address(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
