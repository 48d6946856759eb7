/// The proxies that are believed about their clients, and the header that they set.
///
/// Only one header counts. A proxy passes on every other header as the client wrote it. If a second one were read, each client could write
/// a header that disagrees with the proxy's, and hide behind the proxy's own address.
package struct TrustedProxies: Sendable {
    /// The header that names the client: `X-Forwarded-For` with `X-Forwarded-Proto`, or `Forwarded` (RFC 7239) alone.
    package enum Header: String, Sendable, CaseIterable {
        case forwardedFor = "x-forwarded-for"
        case forwarded
    }

    package let addresses: [CIDR]
    package let header: Header

    package init(_ addresses: [CIDR] = [], header: Header = .forwardedFor) {
        self.addresses = addresses
        self.header = header
    }

    package var isEmpty: Bool { addresses.isEmpty }

    package func contains(_ address: Address) -> Bool { addresses.contains { $0.contains(address) } }
}
