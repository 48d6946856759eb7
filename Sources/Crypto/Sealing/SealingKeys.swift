/// The sealing keys for one purpose while their secret changes: the first one seals, each of them opens.
///
/// A sealed value does not name its key. Opening tries one key after the other, which costs about a microsecond for each.
package struct SealingKeys: Sendable {
    private let first: SealingKey
    private let others: [SealingKey]

    package init(_ first: SealingKey, _ others: [SealingKey] = []) {
        self.first = first
        self.others = others
    }

    package func seal(_ plain: [UInt8], context: String) -> [UInt8] { first.seal(plain, context: context) }

    /// Throws ``CryptoError/notOpened`` when none of the keys opens it.
    package func open(_ sealed: [UInt8], context: String) throws(CryptoError) -> [UInt8] {
        if let plain = try? first.open(sealed, context: context) { return plain }
        for key in others {
            if let plain = try? key.open(sealed, context: context) { return plain }
        }
        throw .notOpened
    }

    package func isSealedByFirst(_ sealed: [UInt8], context: String) -> Bool {
        (try? first.open(sealed, context: context)) != nil
    }

    /// The same value, sealed with the first key; `nil` when that key has sealed it already.
    package func resealed(_ sealed: [UInt8], context: String) throws(CryptoError) -> [UInt8]? {
        isSealedByFirst(sealed, context: context) ? nil : seal(try open(sealed, context: context), context: context)
    }
}
