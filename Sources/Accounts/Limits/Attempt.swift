import Crypto
import Identity

/// One call at something limited: the buckets it takes from.
package struct Attempt: Sendable {
    package let action: LimitedAction
    let projectID: String
    let address: String
    /// In the order in which refusals are told.
    let charges: [Charge]

    struct Charge: Sendable {
        let scope: LimitScope
        let rate: Rate
        let key: [UInt8]
    }

    /// - Parameters:
    ///   - address: what `HTTP.Address.limitKey` gives for the client, as text.
    ///   - email: the address that is signed in, mailed or looked for, whether an account has it or not: who has an account must not
    ///     show in who meets a limit. Matched as accounts match it.
    ///   - accountID: instead of `email` where the caller is known.
    package init(
        _ action: LimitedAction, from address: String, email: String? = nil, accountID: String? = nil, in project: ProjectSettings
    ) {
        self.action = action
        projectID = project.id
        self.address = address
        let email = email.map { EmailAddress.canonical($0) ?? $0.lowercased() }
        let account = accountID ?? email
        let mailbox = email.map(EmailAddress.mailbox)
        charges = Self.charges(action, in: project) { scope in
            switch scope {
            case .account: account.map { [$0] }
            case .accountAndAddress: account.map { [$0, address] }
            case .mailbox: mailbox.map { [$0] }
            case .mailboxAndAddress: mailbox.map { [$0, address] }
            case .address: [address]
            case .project: []
            }
        }
    }

    /// What a mail takes besides from its recipient, where the caller's own account was charged before it was known where the mail goes.
    ///
    /// - Parameter mailbox: an address in canonical form.
    package init(_ action: LimitedAction, from address: String, mailbox: String, in project: ProjectSettings) {
        self.action = action
        projectID = project.id
        self.address = address
        charges = Self.charges(action, in: project) { $0 == .mailbox ? [EmailAddress.mailbox(of: mailbox)] : nil }
    }

    /// - Parameter owner: the parts of a bucket's name; `nil` for a scope that this attempt takes nothing from.
    private static func charges(
        _ action: LimitedAction, in project: ProjectSettings, of owner: (LimitScope) -> [String]?
    ) -> [Charge] {
        project.limits.limits(of: action).compactMap { scope, rate in
            owner(scope).map { Charge(scope: scope, rate: rate, key: key([action.rawValue, scope.rawValue] + $0)) }
        }
    }

    /// The bucket's name. Each part is preceded by its length, so that no two lists of parts give the same bytes.
    private static func key(_ parts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            let text = Array(part.utf8)
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: text.count).bigEndian) { bytes += $0 }
            bytes += text
        }
        return Array(Digest.sha256(bytes).prefix(16))
    }
}
