/// An IP address: 4 or 16 bytes. An IPv4-mapped IPv6 address is the IPv4 address.
package struct Address: Sendable, Hashable, CustomStringConvertible {
    /// All 128 bits; an IPv4 address is kept in its mapped form (`::ffff:a.b.c.d`), so that one comparison serves both.
    let bits: UInt128

    private static let mapped: UInt128 = 0xFFFF << 32

    package static let loopback = Address(v4: 0x7F00_0001)

    init(bits: UInt128) { self.bits = bits }

    init(v4: UInt32) { bits = Self.mapped | UInt128(v4) }

    /// Takes 4 or 16 bytes in network order. Any other number of bytes gives the unspecified address `::`, which is on no list.
    package init(bytes: [UInt8]) {
        let number = bytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch bytes.count {
        case 4: bits = Self.mapped | number
        case 16: bits = number
        default: bits = 0
        }
    }

    /// Reads `a.b.c.d` without leading zeros, or an RFC 4291 text without brackets and zone; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45, let address = AddressText.parse(Array(text.utf8)) else { return nil }
        self = address
    }

    package var isV4: Bool { bits >> 32 == Self.mapped >> 32 }

    /// 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        stride(from: isV4 ? 24 : 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt128($0)) }
    }

    /// Whether it is 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool { isV4 ? (bits >> 24) & 0xFF == 127 : bits == 1 }

    /// The address by which limits for a client count: the address itself for IPv4, its /64 for IPv6, since one subscriber has a whole
    /// /64.
    package var limitKey: Address { isV4 ? self : Address(bits: bits & ~UInt128(UInt64.max)) }

    /// The range of addresses that it belongs to, for records in which no person is to be found by it: its /24 for IPv4, its /48 for IPv6.
    package var network: String { isV4 ? "\(Address(bits: (bits >> 8) << 8))/24" : "\(Address(bits: (bits >> 80) << 80))/48" }

    /// The RFC 5952 text: lower case, the longest run of zero groups as `::`.
    package var description: String { AddressText.format(self) }
}

/// A range of addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address without a slash.
package struct CIDR: Sendable, Hashable, CustomStringConvertible {
    private let base: UInt128
    private let mask: UInt128
    package let description: String

    /// `nil` when the text is not a range, or when the address has bits behind the prefix (`10.1.2.3/8`), since then its meaning is
    /// unclear.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = Address(first) else { return nil }
        // A mapped IPv6 text counts its prefix in 128 bits, an IPv4 text in 32.
        let width = first.utf8.contains(UInt8(ascii: ":")) ? 128 : 32
        var prefix = width
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                digits.count == 1 || digits.first != 0x30,
                let number = Int(parts[1]), number <= width
            else { return nil }
            prefix = number
        }
        let hostBits = width - prefix
        let mask = hostBits == 128 ? 0 : UInt128.max << UInt128(hostBits)
        guard address.bits & ~mask == 0 else { return nil }
        base = address.bits
        self.mask = mask
        description = text
    }

    package func contains(_ address: Address) -> Bool { address.bits & mask == base }

    /// Whether the range is larger than any network of one operator: more than an IPv4 /8, or more than an IPv6 /7 (which holds all
    /// private addresses).
    package var isWide: Bool {
        let hostBits = mask == 0 ? 128 : mask.trailingZeroBitCount
        let isV4 = hostBits <= 32 && Address(bits: base).isV4
        return hostBits > (isV4 ? 24 : 121)
    }

    package static func == (left: Self, right: Self) -> Bool { left.base == right.base && left.mask == right.mask }
    package func hash(into hasher: inout Hasher) {
        hasher.combine(base)
        hasher.combine(mask)
    }
}
