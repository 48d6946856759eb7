/// Finds the characters of a text that need special treatment in reading and writing. Most texts have none, and are as long as a token.
enum PlainText {
    /// The position up to which `bytes` have no quote, backslash or control character, from `start` on, and whether that part is all
    /// ASCII.
    ///
    /// Tests eight bytes at a time, each in its own place of a word. <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>
    static func scan(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, isASCII: Bool) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var at = start
        var seen: UInt64 = 0
        while bytes.count - at >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8.quote))
            let backslashes = word ^ (ones &* UInt64(UInt8.backslash))
            let controls = (word &- ones &* 0x20) & ~word
            // A byte behind the first match may be marked wrongly; the first one never is.
            let found = (controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & tops
            if found != 0 {
                let clean = found.trailingZeroBitCount & ~7
                let before = (UInt64(1) << UInt64(clean)) &- 1
                return (at + clean / 8, (seen | word & before) & tops == 0)
            }
            seen |= word
            at += 8
        }
        while at < bytes.count, bytes[at] >= 0x20, bytes[at] != .quote, bytes[at] != .backslash {
            seen |= UInt64(bytes[at])
            at += 1
        }
        return (at, seen & tops == 0)
    }
}
