/// Who sent a request and whether by https, when trusted proxies stand in between (SEC-08).
///
/// `Forwarded` (RFC 7239) and `X-Forwarded-For` count only from a trusted peer. They are read from the right, the end that the
/// nearest proxy wrote, up to the first address that is no trusted proxy: what stands left of it anybody may have written.
/// Whatever cannot be read on that way, and the two headers at odds, give the peer itself, which no one can forge.
package struct ClientAddress: Sendable, Equatable {
    package let address: Address
    /// Whether a trusted proxy says that it was reached by https.
    package let isSecure: Bool

    package static func resolve(peer: Address, headers: Headers, trusted: [CIDR]) -> ClientAddress {
        guard isTrusted(peer, trusted) else { return ClientAddress(address: peer, isSecure: false) }
        let forwarded = headers.values("forwarded").joined(separator: ",")
        let forwardedFor = headers.values("x-forwarded-for").joined(separator: ",")
        let elements = forwarded.isEmpty ? [] : Forwarded.elements(forwarded)
        var found: [Address?] = []
        if !forwarded.isEmpty { found.append(elements.flatMap { client(of: $0.map(\.client), trusted) }) }
        if !forwardedFor.isEmpty { found.append(client(of: list(forwardedFor), trusted)) }
        let isAgreed = found.allSatisfy { $0 == found[0] }
        let proto = forwarded.isEmpty ? headers.values("x-forwarded-proto").joined(separator: ",") : elements?.last?.proto ?? ""
        return ClientAddress(
            address: isAgreed ? (found.first ?? nil) ?? peer : peer, isSecure: list(proto).last?.lowercased() == "https")
    }

    private static func isTrusted(_ address: Address, _ trusted: [CIDR]) -> Bool { trusted.contains { $0.contains(address) } }

    /// The rightmost address that is no trusted proxy, or the leftmost when all are.
    private static func client(of nodes: [String], _ trusted: [CIDR]) -> Address? {
        var client: Address?
        for node in nodes.reversed() {
            guard let address = Forwarded.address(node) else { return nil }
            client = address
            if !isTrusted(address, trusted) { break }
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
