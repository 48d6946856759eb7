import Crypto
import Identity
import ProjectSettings

/// One call that is limited, and the buckets that it takes from.
struct Attempt: Sendable {
    let action: LimitedAction
    let projectID: String
    let address: String
    /// In the order in which refusals are reported.
    let charges: [Charge]

    struct Charge: Sendable {
        let action: LimitedAction
        let scope: LimitScope
        let rate: Rate
        let key: [UInt8]

        fileprivate var halved: Charge {
            Charge(action: action, scope: scope, rate: Rate(rate.count / 2, per: rate.period), key: key)
        }
    }

    /// - Parameters:
    ///   - email: the address that is signed in, mailed or looked for, whether an account has it or not: the limits must not show who has
    ///     an account. Compared in the same form as accounts.
    ///   - accountID: the caller's account, instead of `email`, when it is known.
    init(
        _ action: LimitedAction, from client: Session.ClientInfo, email: String? = nil, accountID: String? = nil,
        in project: ProjectSettings
    ) {
        self.action = action
        projectID = project.storageID
        let address = client.limitKey
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
            case .number, .prefix, .region: nil
            }
        }
    }

    /// The charge of a mail for its recipient, when the caller's own account was charged before the recipient was known.
    ///
    /// - Parameters:
    ///   - client: `nil` for an administrator's command.
    ///   - mailbox: an address in canonical form.
    init(_ action: LimitedAction, from client: Session.ClientInfo?, mailbox: String, in project: ProjectSettings) {
        self.action = action
        projectID = project.storageID
        address = client?.limitKey ?? "-"
        charges = Self.charges(action, in: project) { $0 == .mailbox ? [EmailAddress.mailbox(of: mailbox)] : nil }
    }

    /// A charge that is for an id or an address alone, whichever client has named it.
    init(_ action: LimitedAction, of name: String, in project: ProjectSettings) {
        self.action = action
        projectID = project.storageID
        address = "-"
        charges = Self.charges(action, in: project) { scope in
            switch scope {
            case .account: [name]
            case .project: []
            default: nil
            }
        }
    }

    /// A charge that is counted as several actions at once.
    ///
    /// - Parameters:
    ///   - actions: at least one; the first names the attempt.
    ///   - address: the part of the client's address that is logged.
    ///   - isHalved: whether only half of a scope's rate counts.
    ///   - owner: the parts of a bucket's name; `nil` for a scope that this attempt takes nothing from.
    init(
        _ actions: [LimitedAction], address: String, in project: ProjectSettings, halving isHalved: (LimitScope) -> Bool = { _ in false },
        of owner: (LimitScope) -> [String]?
    ) {
        action = actions[0]
        projectID = project.storageID
        self.address = address
        charges = actions.flatMap { Self.charges($0, in: project, of: owner) }.map { isHalved($0.scope) ? $0.halved : $0 }
    }

    /// The bucket that other attempts are most likely to take from at the same time. Attempts that take from it run one after another.
    var busiest: [UInt8] {
        let charge = charges.last { $0.scope == .project } ?? charges.last { $0.scope == .address } ?? charges.last
        return charge?.key ?? []
    }

    /// - Parameter owner: the parts of a bucket's name; `nil` for a scope that this attempt takes nothing from.
    private static func charges(
        _ action: LimitedAction, in project: ProjectSettings, of owner: (LimitScope) -> [String]?
    ) -> [Charge] {
        project.limits.limits(of: action).compactMap { scope, rate in
            owner(scope).map { Charge(action: action, scope: scope, rate: rate, key: key(of: action, scope, for: $0)) }
        }
    }

    /// The bucket's name. Each part has its length in front, so that no two lists of parts give the same bytes.
    static func key(of action: LimitedAction, _ scope: LimitScope, for owner: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in [action.rawValue, scope.rawValue] + owner {
            let text = Array(part.utf8)
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: text.count).bigEndian) { bytes += $0 }
            bytes += text
        }
        return Array(Digest.sha256(bytes).prefix(16))
    }
}
