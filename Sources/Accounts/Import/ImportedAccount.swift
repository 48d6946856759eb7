package import Crypto

/// An account of another system as it is stored: with its id, its times and its password hash.
///
/// A reader of `Migration` makes it, and has checked everything that one account alone shows. `AccountImport` stores it.
package struct ImportedAccount: Sendable, Equatable {
    /// It has `passwordUpdatedAt` exactly where `password` is not `nil`.
    package var account: Account
    package var password: ImportedPassword?
    /// Where the source has it: the number of its line from 1, or of its element from 0 in the body of a call.
    package var place: Int

    package init(_ account: Account, password: ImportedPassword?, place: Int) {
        self.account = account
        self.password = password
        self.place = place
    }
}
