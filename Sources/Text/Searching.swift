/// Searches and cuts text, always by bytes.
extension UTF8Text {
    package func hasPrefix(_ beginning: UTF8Text) -> Bool { utf8.starts(with: beginning.utf8) }

    package func hasSuffix(_ ending: UTF8Text) -> Bool { utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) }

    package func contains(_ byte: UInt8) -> Bool { withBytes { $0.contains(byte) } }

    /// - Parameter part: a short text of our own; it is compared at every place that begins like it.
    package func contains(_ part: StaticString) -> Bool { part.utf8CodeUnitCount == 0 || place(of: part) != nil }

    /// The text with `other` in place of the first `part`.
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

    /// The text with `A`–`Z` in lower case and everything else unchanged. Names in protocols are compared in this form.
    ///
    /// Unicode's own rule would also turn the Kelvin sign into a `k`.
    package var asciiLowercased: UTF8Text {
        let isCapital = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
        guard withBytes({ $0.contains(where: isCapital) }) else { return self }
        return UTF8Text(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 })
    }

    /// The parts between the bytes for which `isSeparator` is true, without empty parts. These bytes must be ASCII; otherwise characters
    /// would be cut in pieces.
    package func split(maxSplits: Int = .max, where isSeparator: (UInt8) -> Bool) -> [UTF8Text] {
        asString.utf8.split(maxSplits: maxSplits, whereSeparator: isSeparator).map { UTF8Text($0) }
    }

    /// The beginning of at most `most` bytes. A character that would be cut in the middle is left out.
    package func prefix(bytes most: Int) -> UTF8Text {
        guard utf8.count > most else { return self }
        return withBytes { bytes in
            var end = most
            while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            return UTF8Text(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }

    /// The text without spaces and tabs at both ends.
    package var trimmed: UTF8Text {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = utf8.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest.count == utf8.count ? self : UTF8Text(rest)
    }

    /// Whether the text contains U+0000, which PostgreSQL cannot store in a text.
    package var hasNUL: Bool { contains(0) }
}
