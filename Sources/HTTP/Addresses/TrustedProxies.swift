/// The proxies whose word on a client counts, and the header that they set.
///
/// Only one header counts. A proxy passes on every other header as the client wrote it, so reading a second one would let each client
/// write a header that disagrees with the proxy's, and hide behind the proxy's own address.
package struct TrustedProxies: Sendable {
    /// What tells the client: `X-Forwarded-For` and `X-Forwarded-Proto`, or `Forwarded` (RFC 7239) alone.
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
