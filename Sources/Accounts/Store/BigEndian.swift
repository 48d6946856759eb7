/// Whole numbers as eight bytes, the most significant first: their form in tokens.
extension Int64 {
    init(bigEndianBytes bytes: ArraySlice<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Int64($1) } }

    var bigEndianBytes: [UInt8] { stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Int64($0)) } }
}
