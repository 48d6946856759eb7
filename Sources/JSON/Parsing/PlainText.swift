/// Finds the characters of a text that need special treatment in reading and writing.
enum PlainText {
    /// The position up to which `bytes` have no quote, backslash or control character, from `start` on, and whether that part is all
    /// ASCII.
    static func scan(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, isASCII: Bool) {
        var at = start
        var seen: UInt8 = 0
        while at < bytes.count, bytes[at] >= 0x20, bytes[at] != .quote, bytes[at] != .backslash {
            seen |= bytes[at]
            at += 1
        }
        return (at, seen < 0x80)
    }
}
