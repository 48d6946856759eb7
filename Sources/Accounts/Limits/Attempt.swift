import Crypto

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
        let account = accountID ?? email.map { EmailAddress.canonical($0) ?? $0.lowercased() }
        charges = project.limits.limits(of: action).compactMap { scope, rate in
            let owner: [String]? =
                switch scope {
                case .account: account.map { [$0] }
                case .accountAndAddress: account.map { [$0, address] }
                case .address: [address]
                case .project: []
                }
            return owner.map { Charge(scope: scope, rate: rate, key: Self.key([action.rawValue, scope.rawValue] + $0)) }
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
