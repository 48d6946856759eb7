/// Looking into a text, and cutting it, always by bytes.
extension UTF8Text {
    package func hasPrefix(_ beginning: UTF8Text) -> Bool { utf8.starts(with: beginning.utf8) }

    package func hasSuffix(_ ending: UTF8Text) -> Bool { utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) }

    package func contains(_ byte: UInt8) -> Bool { withBytes { $0.contains(byte) } }

    /// - Parameter part: a text of our own, and short: every place that begins like it is compared with it.
    package func contains(_ part: StaticString) -> Bool { part.utf8CodeUnitCount == 0 || place(of: part) != nil }

    /// The text with `other` in the first place where `part` stands.
    package func replacing(_ part: StaticString, with other: UTF8Text) -> UTF8Text {
        guard let place = place(of: part) else { return self }
        let bytes = Array(utf8)
        return UTF8Text(decoding: bytes[..<place.lowerBound] + Array(other.utf8) + bytes[place.upperBound...])
    }

    private func place(of part: StaticString) -> Range<Int>? {
        let part = UnsafeRawBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount)
        return withBytes { bytes in
            bytes.indices.first { bytes[$0] == part.first && bytes[$0...].starts(with: part) }.map { $0..<$0 + part.count }
        }
    }

    /// `A`–`Z` in lower case and all else as it is: what the names of protocols are compared by.
    ///
    /// Unicode's rule would make a `k` of the Kelvin sign.
    package var asciiLowercased: UTF8Text {
        let isCapital = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
        guard withBytes({ $0.contains(where: isCapital) }) else { return self }
        return UTF8Text(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 })
    }

    /// The parts between the bytes that `isSeparator` takes, empty ones left out. The bytes must be ASCII, or characters are cut in pieces.
    package func split(maxSplits: Int = .max, where isSeparator: (UInt8) -> Bool) -> [UTF8Text] {
        asString.utf8.split(maxSplits: maxSplits, whereSeparator: isSeparator).map { UTF8Text($0) }
    }

    /// The beginning of at most `most` bytes; a character that would be cut in the middle of its bytes is left out.
    package func prefix(bytes most: Int) -> UTF8Text {
        guard utf8.count > most else { return self }
        return withBytes { bytes in
            var end = most
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            return UTF8Text(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }

    /// Without spaces and tabs at both ends.
    package var trimmed: UTF8Text {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = utf8.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest.count == utf8.count ? self : UTF8Text(rest)
    }

    /// Whether it holds U+0000, which no text in PostgreSQL can.
    package var hasNUL: Bool { contains(0) }
}
