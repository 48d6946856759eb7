/// Who sent a request and whether by https, when trusted proxies stand in between (SEC-08).
///
/// The header that the proxies set counts only from a trusted peer; see ``TrustedProxies`` for why there is one. It is read from the
/// right, the end that the nearest proxy wrote, up to the first address that is not a trusted proxy: a client may have written what stands
/// left of it. A header that cannot be read on that way, or is missing, gives the peer itself, which no one can forge.
package struct ClientAddress: Sendable, Equatable {
    package let address: Address
    /// Whether a trusted proxy says that it was reached by https.
    package let isSecure: Bool

    package static func resolve(peer: Address, headers: Headers, trusted: TrustedProxies) -> ClientAddress {
        guard trusted.contains(peer) else { return ClientAddress(address: peer, isSecure: false) }
        let nodes: [String]
        let proto: String
        switch trusted.header {
        case .forwardedFor:
            nodes = list(headers.values("x-forwarded-for").joined(separator: ","))
            proto = list(headers.values("x-forwarded-proto").joined(separator: ",")).last ?? ""
        case .forwarded:
            let elements = Forwarded.elements(headers.values("forwarded").joined(separator: ",")) ?? []
            nodes = elements.map(\.client)
            proto = elements.last?.proto ?? ""
        }
        return ClientAddress(address: client(of: nodes, trusted) ?? peer, isSecure: proto.lowercased() == "https")
    }

    /// The rightmost address that is not a trusted proxy, or the leftmost when all are.
    private static func client(of nodes: [String], _ trusted: TrustedProxies) -> Address? {
        var client: Address?
        for node in nodes.reversed() {
            guard let address = Forwarded.address(node) else { return nil }
            client = address
            if !trusted.contains(address) { break }
        }
        return client
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { String(Substring($0.utf8.trimmingSpaces)) }
    }
}

/// The `Forwarded` header. <https://www.rfc-editor.org/rfc/rfc7239#section-4>
enum Forwarded {
    struct Element: Equatable {
        var client = ""
        var proto = ""
    }

    /// `nil` when the text is not a list of `name=value` pairs, or a pair comes twice in one element.
    static func elements(_ text: String) -> [Element]? {
        var elements = [Element()]
        var seen: Set<String> = []
        var rest = Substring(text).utf8.trimmingSpaces
        while !rest.isEmpty {
            let name = rest.prefix { $0.isToken }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = value(&rest) else { return nil }
            let key = String(Substring(name)).lowercased()
            guard seen.insert(key).inserted else { return nil }
            if key == "for" { elements[elements.count - 1].client = value }
            if key == "proto" { elements[elements.count - 1].proto = value }
            rest = rest.trimmingSpaces
            guard let separator = rest.popFirst() else { return elements }
            rest = rest.trimmingSpaces
            switch separator {
            case UInt8(ascii: ";"): break
            case UInt8(ascii: ","):
                elements.append(Element())
                seen = []
            default: return nil
            }
        }
        return nil
    }

    private static func value(_ rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0.isToken }
            rest = rest.dropFirst(token.count)
            return token.isEmpty ? nil : String(Substring(token))
        }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let quoted = rest[..<end]
        rest = rest[end...].dropFirst()
        // No address or scheme needs an escape; one that has it means to confuse.
        return quoted.contains(UInt8(ascii: "\\")) ? nil : String(Substring(quoted))
    }

    /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`; `unknown` and `_hidden` are no address.
    static func address(_ node: String) -> Address? {
        if let address = Address(node) { return address }
        let end: String.Index?
        if node.hasPrefix("[") {
            end = node.firstIndex(of: "]").map { node.index(after: $0) }
        } else {
            end = node.firstIndex(of: ":")
        }
        guard let end else { return nil }
        let port = node[end...]
        if !port.isEmpty {
            guard port.first == ":", (2...6).contains(port.utf8.count), port.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
        }
        let host = node[..<end]
        return host.hasPrefix("[") ? Address(host.dropFirst().dropLast()).flatMap { $0.isV4 ? nil : $0 } : Address(host)
    }
}
