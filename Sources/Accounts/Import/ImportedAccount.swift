package import Crypto
package import Runtime

/// An account of another system as it is stored: with its id, its times and its password.
///
/// A reader of `Migration` makes it, and has checked everything that one account alone shows. `AccountImport` stores it.
package struct ImportedAccount: Sendable, Equatable {
    /// It has `passwordUpdatedAt` exactly where `password` is not `nil`.
    package var account: Account
    package var password: ImportedPassword?
    /// Tells whether the password is another one than at the last import; `AccountImport` computes it.
    var passwordFingerprint: [UInt8]?
    /// More of its identities, by the ids of their providers; `IdentityRecord()` for those that are not here.
    package var identityRecords: [String: IdentityRecord] = [:]
    /// Its passkeys, which are stored with a new account alone; `account` has its user handle.
    package var passkeys: [PasskeyRecord] = []
    /// Whether the source has no time of it at all, so that the time of the import stands for that of its creation.
    package var isOfUnknownAge = false
    /// Where the source has it: the number of its line from 1, or of its element from 0 in the body of a call.
    package var place: Int

    package init(_ account: Account, password: ImportedPassword?, place: Int) {
        self.account = account
        self.password = password
        self.place = place
    }
}

/// The part of a stored identity that no app sees.
package struct IdentityRecord: Sendable, Equatable {
    /// As `ProviderIdentity` has them.
    package var alias: String?
    package var tenant: String?
    /// `nil` for the time when the account was made.
    package var linkedAt: Instant?
    /// `nil` for the account's last sign-in.
    package var lastSignInAt: Instant?
    /// Whether it was linked while the account's address was not proven; `nil` where only the account tells.
    package var isUnproven: Bool?

    package init() {}
}
