/// Reads and writes addresses as text, strictly. When two programs read `010.0.0.1` differently, an attacker can pass the check of one
/// with an address that the other uses.
enum AddressText {
    static func parse(_ text: [UInt8]) -> Address? {
        if text.contains(UInt8(ascii: ":")) { return v6(text[...]).map(Address.init(bits:)) }
        return v4(text[...]).map(Address.init(v4:))
    }

    /// Four decimal numbers up to 255, without leading zeros.
    static func v4(_ text: some Collection<UInt8>) -> UInt32? {
        var address: UInt32 = 0
        var number: UInt32?
        var dots = 0
        for byte in text {
            if byte.isDigit {
                guard number != 0 else { return nil }
                let next = (number ?? 0) * 10 + UInt32(byte - 0x30)
                guard next <= 255 else { return nil }
                number = next
            } else {
                guard byte == UInt8(ascii: "."), let part = number else { return nil }
                address = address << 8 | part
                number = nil
                dots += 1
            }
        }
        guard dots == 3, let part = number else { return nil }
        return address << 8 | part
    }

    /// <https://www.rfc-editor.org/rfc/rfc4291#section-2.2>
    private static func v6(_ text: ArraySlice<UInt8>) -> UInt128? {
        let colon = UInt8(ascii: ":")
        guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            guard let all = groups(text), all.count == 8 else { return nil }
            return join(all)
        }
        // A second `::` leaves an empty group behind and fails there.
        guard let head = groups(text[..<gap]), let tail = groups(text[(gap + 2)...]), head.count + tail.count <= 7 else { return nil }
        if head.count > 0, text[..<gap].contains(UInt8(ascii: ".")) { return nil }
        return join(head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let address = v4(part) else { return nil }
                groups += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
                continue
            }
            guard (1...4).contains(part.count), part.allSatisfy({ $0.hexValue != nil }) else { return nil }
            groups.append(part.reduce(0) { $0 << 4 | UInt16($1.hexValue ?? 0) })
        }
        return groups
    }

    private static func join(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }

    /// <https://www.rfc-editor.org/rfc/rfc5952#section-4>
    static func format(_ address: Address) -> String {
        let bytes = address.bytes
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var best = 0..<0
        var start = 0
        while start < 8 {
            let end = groups[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > max(1, best.count) { best = start..<end }
            start = end + 1
        }
        let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        return best.isEmpty ? text(groups[...]) : text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
    }
}
