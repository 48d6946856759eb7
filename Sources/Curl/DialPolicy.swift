package import HTTP
import Text

/// Decides which addresses the server may connect to.
///
/// Public addresses only by `https`; other addresses only where the configuration names them. The check runs on the address of each
/// connection when it is opened, after the name was resolved, so a name that changes its address between check and use gains nothing.
package struct DialPolicy: Sendable {
    private let allowed: [CIDR]

    /// Only public addresses, by `https`.
    package static let production = DialPolicy()

    /// `production`, and also any scheme to the addresses in `allowed`.
    package init(allowing allowed: [CIDR] = []) { self.allowed = allowed }

    package static func allowing(_ allowed: [CIDR]) -> DialPolicy { DialPolicy(allowing: allowed) }

    /// Whether any address may be called by plain `http`.
    package var allowsPlainText: Bool { !allowed.isEmpty }

    /// Whether a connection to `address` may be opened; `encrypted` says whether it will use TLS.
    package func permits(_ address: Address, encrypted: Bool) -> Bool {
        let target = Self.embedded(address) ?? address
        if allowed.contains(where: { $0.contains(target) || $0.contains(address) }) { return true }
        return encrypted && Self.isPublic(target)
    }

    /// Whether `address` is globally reachable unicast.
    ///
    /// <https://www.iana.org/assignments/iana-ipv4-special-registry>, <https://www.iana.org/assignments/iana-ipv6-special-registry>
    static func isPublic(_ address: Address) -> Bool {
        switch address.bytes.count {
        case 4: return !specialIPv4.contains { $0.holds(address.bytes) }
        case 16: return globalIPv6.holds(address.bytes) && !specialIPv6.contains { $0.holds(address.bytes) }
        default: return false
        }
    }

    /// The IPv4 address that a NAT64 gateway would call for an IPv6 one (RFC 6052 §2.1).
    private static func embedded(_ address: Address) -> Address? {
        guard address.bytes.count == 16, nat64.holds(address.bytes) else { return nil }
        return Address(bytes: Array(address.bytes[12...]))
    }

    private struct Block {
        let prefix: [UInt8]
        let bits: Int

        init(_ bits: Int, _ prefix: UInt8...) {
            self.prefix = prefix
            self.bits = bits
        }

        func holds(_ bytes: [UInt8]) -> Bool {
            for index in 0..<(bits + 7) / 8 {
                let kept = min(8, bits - index * 8)
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
                let wanted = index < prefix.count ? prefix[index] : 0
                if (bytes[index] ^ wanted) & mask != 0 { return false }
            }
            return true
        }
    }

    private static let specialIPv4 = [
        Block(8, 0),  // this host
        Block(8, 10),  // private
        Block(10, 100, 64),  // carrier NAT
        Block(8, 127),  // loopback
        Block(32, 168, 63, 129, 16),  // Azure's host agent, on an address that looks public
        Block(16, 169, 254),  // link-local, clouds' metadata
        Block(12, 172, 16),  // private
        Block(24, 192, 0, 0),  // protocol assignments
        Block(24, 192, 0, 2),  // documentation
        Block(24, 192, 31, 196),  // AS112
        Block(24, 192, 52, 193),  // AMT
        Block(24, 192, 88, 99),  // 6to4 relays
        Block(16, 192, 168),  // private
        Block(24, 192, 175, 48),  // AS112
        Block(15, 198, 18),  // benchmarks
        Block(24, 198, 51, 100),  // documentation
        Block(24, 203, 0, 113),  // documentation
        Block(4, 224),  // multicast
        Block(4, 240),  // reserved, broadcast
    ]

    /// Everything that is assigned as global unicast. Not in it are loopback, unique local, link-local, site-local, multicast, discard and
    /// IPv4-compatible addresses.
    private static let globalIPv6 = Block(3, 0x20)
    private static let specialIPv6 = [
        Block(23, 0x20, 0x01, 0x00),  // protocol assignments, Teredo, ORCHID
        Block(32, 0x20, 0x01, 0x0D, 0xB8),  // documentation
        Block(16, 0x20, 0x02),  // 6to4, which can embed any IPv4 address
        Block(48, 0x26, 0x20, 0x00, 0x4F, 0x80, 0x00),  // AS112
        Block(20, 0x3F, 0xFF, 0x00),  // documentation
    ]
    private static let nat64 = Block(96, 0x00, 0x64, 0xFF, 0x9B)
}
