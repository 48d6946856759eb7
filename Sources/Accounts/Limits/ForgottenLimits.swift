import Crypto
import Identity
import Postgres
import ProjectSettings
import Runtime

/// The owner of buckets that an operator has forgotten, by the names under which attempts are counted.
package struct LimitedPerson: Sendable {
    /// The account's id and its address. An attempt to sign in counts by the address, one of a person who is signed in by the id.
    let accounts: [String]
    let mailbox: String?
    /// In E.164 form.
    let phoneNumber: String?
    /// The client's `HTTP.Address.limitKey`, as text.
    let address: String?

    /// - Parameter email: in canonical form.
    package init(accountID: String?, email: String?, phoneNumber: String? = nil, address: String?) {
        accounts = [accountID, email].compactMap(\.self)
        mailbox = email.map(EmailAddress.mailbox)
        self.phoneNumber = phoneNumber
        self.address = address
    }

    /// The names of all buckets that can be the person's, whatever limits the project has.
    fileprivate var keys: [[UInt8]] {
        let names = LimitScope.allCases.flatMap { scope in owners(in: scope).map { (scope, $0) } }
        return LimitedAction.allCases.flatMap { action in names.map { Attempt.key(of: action, $0, for: $1) } }
    }

    /// The buckets of the project's limits that are the person's.
    func charges(in project: ProjectSettings) -> [Attempt.Charge] {
        LimitedAction.allCases.flatMap { action in
            project.limits.limits(of: action).flatMap { scope, rate in
                owners(in: scope).map { owner in
                    Attempt.Charge(action: action, scope: scope, rate: rate, key: Attempt.key(of: action, scope, for: owner))
                }
            }
        }
    }

    private func owners(in scope: LimitScope) -> [[String]] {
        switch scope {
        case .account: accounts.map { [$0] }
        case .accountAndAddress: address.map { address in accounts.map { [$0, address] } } ?? []
        case .mailbox: mailbox.map { [[$0]] } ?? []
        case .mailboxAndAddress: mailbox.flatMap { mailbox in address.map { [[mailbox, $0]] } } ?? []
        case .address: address.map { [[$0]] } ?? []
        case .number: phoneNumber.map { [[$0]] } ?? []
        case .prefix, .region, .project: []
        }
    }
}

extension RateLimits {
    /// Forgets what was counted against a person, so that they need not wait. Returns the number of buckets that were not full.
    package func forget(
        _ person: LimitedPerson, on accountID: String?, emailHash: String? = nil, by administrator: Administrator
    ) async throws(AccountError) -> Int {
        let now = clock.now()
        let project = administrator.project.storageID
        let act = administrator.act(on: accountID, emailHash: emailHash, at: now)
        let results = try await storage.write(
            all: [
                """
                WITH held AS (
                    SELECT key, full_at FROM rate_limits WHERE project_id = \(project: project)
                        AND key IN (SELECT decode(name, 'hex') FROM unnest(\(person.keys.map(Hex.encode))) AS name)
                    ORDER BY key FOR UPDATE
                ), gone AS (
                    DELETE FROM rate_limits r USING held WHERE r.project_id = \(project: project) AND r.key = held.key
                )
                SELECT count(*) FROM held WHERE full_at > \(now)
                """,
                act.record(AccountEvent(.limitsForgotten), in: project),
            ], by: administrator)
        return try reading { try results.first?.first?.value() ?? 0 }
    }
}
