/// An IP address: 4 or 16 bytes. An IPv4-mapped IPv6 address is the IPv4 address.
package struct Address: Sendable, Hashable, CustomStringConvertible {
    package let bytes: [UInt8]

    package static let loopback = Address(bytes: [127, 0, 0, 1])

    /// `bytes` are 4 or 16 in network order.
    package init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && Array(bytes[..<12]) == mapped ? Array(bytes[12...]) : bytes
    }

    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: bytes.count - 1, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
