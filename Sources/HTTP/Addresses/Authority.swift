/// `host[:port]`, as in URLs and in the Host header.
package enum Authority {
    /// Whether the bytes are an authority. It makes no texts, since every request's Host field comes here.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool { parts(bytes) != nil }

    /// The host in lower case (an IPv6 address in brackets) and the port if there is one; `nil` when the text is not an authority.
    package static func split(_ bytes: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
        bytes.withUnsafeBytes { bytes in
            guard let (host, port) = parts(bytes) else { return nil }
            if host.first == UInt8(ascii: "[") { return address(in: host).map { ("[\($0)]", port) } }
            return (String(decoding: host.map(\.lowercased), as: UTF8.self), port)
        }
    }

    private static func parts(_ bytes: UnsafeRawBufferPointer) -> (host: UnsafeRawBufferPointer, port: Int?)? {
        var end = bytes.count
        var port: Int?
        let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) ?? -1
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), colon > bracket {
            guard let number = self.port(bytes[(colon + 1)...]) else { return nil }
            port = number
            end = colon
        }
        let host = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        return (host.first == UInt8(ascii: "[") ? address(in: host) != nil : isName(host)) ? (host, port) : nil
    }

    /// 1 to 65535, without leading zeros.
    private static func port(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...5).contains(digits.count), digits.first != 0x30, digits.allSatisfy(\.isDigit) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return number <= 65535 ? number : nil
    }

    /// The IPv6 address in brackets.
    private static func address(in host: UnsafeRawBufferPointer) -> Address? {
        guard host.count <= 47, host.last == UInt8(ascii: "]") else { return nil }
        return Address(String(decoding: host.dropFirst().dropLast(), as: UTF8.self)).flatMap { $0.isV4 ? nil : $0 }
    }

    /// Whether it is a DNS name (labels of letters, digits, `-` and `_`) or a dotted IPv4 address.
    private static func isName(_ host: UnsafeRawBufferPointer) -> Bool {
        guard host.count <= 253 else { return false }
        var label = 0
        for index in 0...host.count {
            guard index == host.count || host[index] == UInt8(ascii: ".") else {
                guard host[index].isAlphanumeric || host[index] == UInt8(ascii: "-") || host[index] == UInt8(ascii: "_") else {
                    return false
                }
                continue
            }
            guard (1...63).contains(index - label), host[label] != UInt8(ascii: "-"), host[index - 1] != UInt8(ascii: "-") else {
                return false
            }
            if index < host.count { label = index + 1 }
        }
        // Some readers treat 0x7f.1 or 2130706433 as an address, so a host that ends in a number must be an IPv4 address in dotted form.
        let last = host[label...]
        let isNumber = last.allSatisfy(\.isDigit) || last.first == 0x30 && last.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        return !isNumber || AddressText.v4(host) != nil
    }
}
