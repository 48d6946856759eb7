package import Runtime

/// One way in which passwords are hashed and stored: our own, and those of hashes that were imported from other systems.
///
/// To add a scheme, add a file to `Schemes` and a line to ``PasswordHash/schemes``. An importer makes its values from what a source has, by
/// the initializer of the scheme, or by ``PasswordHash/init(reading:)`` where the source has the whole text.
package protocol PasswordScheme: Sendable, Concealed {
    /// The texts that can stand between the first two `$` of its stored hashes.
    static var identifiers: [String] { get }

    /// Reads the fields behind the identifier. Throws for parameters that would cost too much memory or time (SEC-57). It may read more texts
    /// than it writes; a stored hash must still be exactly `text`.
    init(identifier: String, fields: [Substring]) throws(PasswordHashFault)

    /// The stored text: printable ASCII, at most ``PasswordHash/longestText`` bytes.
    var text: String { get }

    /// The salt, for an export.
    var salt: [UInt8] { get }
    /// The hash alone, for an export.
    var digest: [UInt8] { get }

    /// The id of the ``ImportedHashKey`` that a check needs; `nil` for none.
    var keyID: String? { get }

    /// Whether this is the password's hash. Costs as much as making it, and compares in constant time.
    ///
    /// Throws ``CryptoError/missingKey(id:)``, and ``CryptoError/library(call:reason:)`` when memory is short.
    func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool

    /// Whether a new hash would have this scheme and these parameters.
    func isCurrent(_ parameters: ScryptParameters) -> Bool

    /// Whether a check is cheap enough for a loop.
    var isQuick: Bool { get }
}

/// The answers of every scheme but our own.
extension PasswordScheme {
    package func isCurrent(_ parameters: ScryptParameters) -> Bool { false }
    package var isQuick: Bool { false }
    package var keyID: String? { nil }

    package var description: String { "<password hash>" }
}
