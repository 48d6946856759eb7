package import Accounts
package import Crypto

/// Brings the accounts of other systems here, and ours to them.
///
/// A source reads the export of one system, or asks it (`Sources/`; each has a subcommand of `gatehouse import`) and gives a `SourceAccount` for each account.
/// `ImportRules` checks it by the rules that are common to all sources, and makes the `ImportedAccount` that `AccountImport` stores. The
/// exporters write what `AccountExport` reads. No SQL is here.
package protocol AccountSource {
    /// The next account, or the reason why the next row is not one; `nil` at the end.
    ///
    /// Throws `SourceFailure` when the rest of the source cannot be read.
    mutating func next() async throws(SourceFailure) -> SourceEntry?

    /// The things of the source that no account here can keep, with the number of accounts that it concerns; complete at the end.
    var losses: SourceLosses { get }

    /// Sentences about what a source of this kind never has, whatever its accounts are.
    var remarks: [String] { get }

    /// The keys that the hashes of its accounts were made with; complete at the end.
    var hashKeys: [ImportedHashKey] { get }
}

extension AccountSource {
    package var remarks: [String] { [] }
    package var hashKeys: [ImportedHashKey] { [] }
}

package enum SourceEntry: Sendable, Equatable {
    case account(SourceAccount)
    case fault(ImportFault)
    /// A row that is no person's account, such as a deleted one.
    case skipped
}

/// The source is not what it should be, so the rest of it cannot be read.
package struct SourceFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that names file, line and remedy.
    package let description: String
    /// Whether the file ends too early, so that what was read before is right and something is missing behind it.
    package let isCut: Bool

    package init(_ description: String, isCut: Bool = false) { (self.description, self.isCut) = (description, isCut) }
}

/// The things that an import cannot keep, and those that an operator should look at, each a sentence with the number of accounts that it concerns.
package struct SourceLosses: Sendable, Equatable {
    package private(set) var counts: [String: Int] = [:]
    /// Nothing of these is lost.
    package private(set) var notes: [String: Int] = [:]

    package init() {}

    /// - Parameter loss: names the thing that is lost and what follows, such as "second factor by TOTP: its secret is in no export".
    package mutating func add(_ loss: String, _ count: Int = 1) { counts[loss, default: 0] += count }

    /// - Parameter fact: the thing to look at, such as "custom claim with the reserved name sub".
    package mutating func note(_ fact: String, _ count: Int = 1) { notes[fact, default: 0] += count }

    package mutating func add(_ others: SourceLosses) {
        for (loss, count) in others.counts { add(loss, count) }
        for (fact, count) in others.notes { note(fact, count) }
    }
}
