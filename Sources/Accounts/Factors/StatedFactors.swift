import JSON
import Postgres
import ProjectSettings
import Runtime
import Text

/// A second factor as an administrator states it: a phone number, or by its id alone one that the account has and keeps.
package struct StatedFactor: Sendable {
    /// `nil` or empty for a new one.
    package let id: String?
    /// In E.164 form; `nil` to keep the factor with this id.
    package let phoneNumber: String?
    package let displayName: String?
    /// RFC 3339; `nil` for now.
    package let enrolledAt: String?

    package init(id: String?, phoneNumber: String?, displayName: String?, enrolledAt: String?) {
        self.id = id
        self.phoneNumber = phoneNumber
        self.displayName = displayName
        self.enrolledAt = enrolledAt
    }
}

extension SecondFactors {
    /// The factors that an administrator puts in place of these.
    ///
    /// Throws `secondFactor(.notFound)` for one that is named and not there, `secondFactor(.duplicateID)`, `secondFactor(.exists)` for a number that
    /// comes twice, and `secondFactor(.tooMany)`.
    func stating(_ list: [StatedFactor], at now: Instant) throws(AccountError) -> SecondFactors {
        var stated = SecondFactors(nil)
        for entry in list {
            let factor: Factor
            if let number = entry.phoneNumber {
                guard !stated.hasPhone(number) else { throw .secondFactor(.exists) }
                let id = entry.id.flatMap { $0.isEmpty ? nil : $0 } ?? AccountID.random()
                factor = Factor(phone: number, id: id, name: entry.displayName, at: entry.enrolledAt ?? Timestamp.text(now))
            } else {
                guard let known = self.factor(entry.id ?? "") else { throw .secondFactor(.notFound) }
                factor = entry.displayName.map { known.renamed($0) } ?? known
            }
            guard stated.factor(factor.id) == nil else { throw .secondFactor(.duplicateID) }
            stated.add(factor)
        }
        guard stated.factors.count <= Self.most else { throw .secondFactor(.tooMany) }
        return stated
    }
}

extension FactorSecrets {
    /// Puts the second factors that an administrator states in place of the account's.
    ///
    /// Throws `secondFactor(.emailUnverified)` and what `SecondFactors.stating` throws. The statement stands behind the one that changes the
    /// account.
    /// - Parameters:
    ///   - changed: the account after the rest of the change; it gets the list.
    ///   - former: the account's factors as they were read, with their secrets.
    func state(
        _ list: [StatedFactor], in former: SecondFactors, of account: Account, as changed: inout Account, in project: ProjectSettings,
        at now: Instant
    ) throws(AccountError) -> [SQL] {
        let factors = try former.stating(list, at: now)
        guard factors.isEmpty || changed.email != nil && changed.emailVerified else { throw .secondFactor(.emailUnverified) }
        changed.secondFactors = factors.text
        let resealed = self.sealed(changed, in: project)
        changed.secondFactors = Self.split(factors.text).shown
        let ids = factors.factors.map(\.id)
        let statements: [SQL] = [
            """
            UPDATE accounts SET second_factors = \(changed.secondFactors), factor_secrets = \(resealed)
            WHERE project_id = \(project: project) AND account_id = \(account.id)
            """,
            account.endPendingSignIns(in: project), account.forgetDevices(in: project),
            """
            UPDATE sessions SET second_factor = NULL, second_factor_id = NULL
            WHERE project_id = \(project: project) AND account_id = \(account.id) AND second_factor_id <> ALL (\(ids))
            """,
        ]
        return factors.isEmpty ? statements + [RecoveryCodes.deletion(of: account.id, in: project)] : statements
    }
}
