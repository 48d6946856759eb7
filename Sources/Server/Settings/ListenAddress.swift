package import HTTP

/// An address to listen on. It is never a name to resolve, so that the address that is checked is the one that is bound (SEC-22).
package struct ListenAddress: Sendable, CustomStringConvertible {
    /// The form that error texts ask the operator to write.
    static let form = "an IP address (or localhost) and a port, such as 127.0.0.1:8080 or [::1]:8080"

    package let host: Address
    package let port: Int

    package init(host: Address, port: Int) {
        self.host = host
        self.port = port
    }

    /// `127.0.0.1:8080`, `[::1]:8080`, or `localhost:8080`, which is 127.0.0.1 whatever a resolver says.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let address = host == "localhost" ? .loopback : isBracketed ? Address(host.dropFirst().dropLast()) : Address(host)
        guard let address, isBracketed ? host.contains(":") : !host.contains(":") else { return nil }
        self.init(host: address, port: Int(port))
    }

    /// The address at which a program of this machine reaches this listener: `0.0.0.0` and `::` stand for every address and cannot be
    /// called.
    package var dialled: ListenAddress {
        guard host.bytes.allSatisfy({ $0 == 0 }) else { return self }
        return ListenAddress(host: host.isV4 ? .loopback : Address("::1") ?? host, port: port)
    }

    package var description: String { host.isV4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}
