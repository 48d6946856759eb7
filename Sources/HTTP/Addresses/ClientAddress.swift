import Text

/// The address of the client that sent a request, and whether it used https, when trusted proxies stand in between (SEC-08).
///
/// The header of the proxies counts only when a trusted peer sent it; see ``TrustedProxies`` for why there is only one. It is read from
/// the right, where the nearest proxy wrote, up to the first address that is not a trusted proxy: the client may have written the part to
/// the left of it. When the header is missing or cannot be read, the result is the peer itself, which cannot be forged.
package struct ClientAddress: Sendable, Equatable {
    package let address: Address
    /// Whether a trusted proxy reports that the client used https.
    package let isSecure: Bool

    package static func resolve(peer: Address, headers: Headers, trusted: TrustedProxies) -> ClientAddress {
        guard trusted.contains(peer) else { return ClientAddress(address: peer, isSecure: false) }
        let nodes: [UTF8Text]
        let proto: UTF8Text
        switch trusted.header {
        case .forwardedFor:
            nodes = list(headers.list("x-forwarded-for"))
            proto = list(headers.list("x-forwarded-proto")).last ?? ""
        case .forwarded:
            let elements = Forwarded.elements(headers.list("forwarded")) ?? []
            nodes = elements.map(\.client)
            proto = elements.last?.proto ?? ""
        }
        return ClientAddress(address: client(of: nodes, trusted) ?? peer, isSecure: proto.asciiLowercased == "https")
    }

    /// The rightmost address that is not a trusted proxy, or the leftmost one when all are.
    private static func client(of nodes: [UTF8Text], _ trusted: TrustedProxies) -> Address? {
        var client: Address?
        for node in nodes.reversed() {
            guard let address = Forwarded.address(node) else { return nil }
            client = address
            if !trusted.contains(address) { break }
        }
        return client
    }

    /// The elements of a list. An empty element counts as absent. <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1>
    private static func list(_ text: UTF8Text) -> [UTF8Text] {
        text.utf8.split(separator: UInt8(ascii: ",")).map { UTF8Text($0.trimmingSpaces) }.filter { !$0.utf8.isEmpty }
    }
}

extension Headers {
    /// All values of a header as one list, since together they are one. <https://www.rfc-editor.org/rfc/rfc9110#section-5.3>
    fileprivate func list(_ name: String) -> UTF8Text { UTF8Text(decoding: Array(values(name).map(\.utf8).joined(separator: ",".utf8))) }
}

extension Substring.UTF8View {
    /// Without the empty elements of a list, and the spaces, that it begins with.
    fileprivate var droppingEmptyElements: Self {
        drop { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}

/// The `Forwarded` header. <https://www.rfc-editor.org/rfc/rfc7239#section-4>
enum Forwarded {
    struct Element: Equatable {
        var client: UTF8Text = ""
        var proto: UTF8Text = ""
    }

    /// `nil` when the text is not a list of `name=value` pairs, or a pair comes twice in one element.
    static func elements(_ text: UTF8Text) -> [Element]? {
        var elements = [Element()]
        var seen: Set<UTF8Text> = []
        var rest = text.utf8[...].droppingEmptyElements
        while !rest.isEmpty {
            let name = rest.prefix { $0.isToken }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = value(&rest) else { return nil }
            let key = UTF8Text(name).asciiLowercased
            guard seen.insert(key).inserted else { return nil }
            if key == "for" { elements[elements.count - 1].client = value }
            if key == "proto" { elements[elements.count - 1].proto = value }
            rest = rest.trimmingSpaces
            guard let separator = rest.popFirst() else { return elements }
            rest = rest.trimmingSpaces
            switch separator {
            case UInt8(ascii: ";"): break
            case UInt8(ascii: ","):
                rest = rest.droppingEmptyElements
                if rest.isEmpty { return elements }
                elements.append(Element())
                seen = []
            default: return nil
            }
        }
        return nil
    }

    private static func value(_ rest: inout Substring.UTF8View) -> UTF8Text? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0.isToken }
            rest = rest.dropFirst(token.count)
            return token.isEmpty ? nil : UTF8Text(token)
        }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let quoted = rest[..<end]
        rest = rest[end...].dropFirst()
        // Addresses and schemes never need an escape, so an escape is an attempt to confuse.
        return quoted.contains(UInt8(ascii: "\\")) ? nil : UTF8Text(quoted)
    }

    /// Reads `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`; `unknown` and `_hidden` are not addresses.
    static func address(_ node: UTF8Text) -> Address? {
        if let address = Address(node.asString) { return address }
        let bytes = node.utf8
        let isBracketed = bytes.first == UInt8(ascii: "[")
        guard let mark = bytes.firstIndex(of: isBracketed ? UInt8(ascii: "]") : UInt8(ascii: ":")) else { return nil }
        let end = isBracketed ? bytes.index(after: mark) : mark
        let port = bytes[end...]
        if !port.isEmpty {
            guard port.first == UInt8(ascii: ":"), (2...6).contains(port.count), port.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
        }
        let host = Substring(bytes[..<end])
        return isBracketed ? Address(host.dropFirst().dropLast()).flatMap { $0.isV4 ? nil : $0 } : Address(host)
    }
}
