/// Bytes from hexadecimal text, in which white space is allowed. Traps on anything else, since test data is our own.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.isWhitespace ? nil : UInt8($0.hexDigitValue ?? 255) }
    precondition(digits.count % 2 == 0 && digits.allSatisfy { $0 < 16 })
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
