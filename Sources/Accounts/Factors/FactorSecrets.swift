import Crypto
import JSON
import Postgres
import ProjectSettings
import Text

/// The secrets of second factors: what an authenticator app computes its codes from. They are stored sealed, beside the factors without them
/// (`SecondFactors`), which administrators and the person see.
struct FactorSecrets: Sendable {
    let keys: SealingKeys

    /// The member of a factor that has its secret.
    private static let member: UTF8Text = "totpInfo"

    /// Splits the factors of an imported account: `shown` without any secret, and the secrets in the same order; `nil` for none.
    static func split(_ factors: String?) -> (shown: String?, secrets: String?) {
        guard let factors, let list = (try? JSON.parse(factors))?.array else { return (factors, nil) }
        let secrets = list.map { factor -> JSON in
            guard let secret = factor[Self.member]?.object, !secret.isEmpty else { return .null }
            return .object(secret)
        }
        guard secrets.contains(where: { !$0.isNull }) else { return (factors, nil) }
        let shown = zip(list, secrets).map { factor, secret in secret.isNull ? factor : Self.setting([:], in: factor) }
        return (JSON.array(shown).text(), JSON.array(secrets).text())
    }

    /// The factors as they were before `split`.
    static func joined(_ shown: String, _ secrets: String) -> String {
        guard let list = (try? JSON.parse(shown))?.array, let secrets = (try? JSON.parse(secrets))?.array, list.count == secrets.count
        else {
            return shown
        }
        return JSON.array(zip(list, secrets).map { factor, secret in secret.isNull ? factor : Self.setting(secret, in: factor) }).text()
    }

    private static func setting(_ secret: JSON, in factor: JSON) -> JSON {
        guard var object = factor.object else { return factor }
        object[Self.member] = secret
        return .object(object)
    }

    /// The value of the column; `nil` for an account without such factors.
    func sealed(_ account: Account, in project: ProjectSettings) -> [UInt8]? {
        Self.split(account.secondFactors).secrets.map {
            keys.seal(Array($0.utf8), context: Self.context(project.storageID, account.id))
        }
    }

    /// The account's factors with their secrets. Throws `sealBroken`.
    func opened(_ account: Account, _ sealed: [UInt8]?, in project: ProjectSettings) throws(AccountError) -> String? {
        guard let sealed, let shown = account.secondFactors else { return account.secondFactors }
        guard let secrets = try? keys.open(sealed, context: Self.context(project.storageID, account.id)) else {
            throw .sealBroken("the second factors of the account \(account.id)")
        }
        return Self.joined(shown, String(decoding: secrets, as: UTF8.self))
    }

    /// Selects the sealed secrets of an account.
    static func select(of accountID: String, in project: ProjectSettings) -> SQL {
        "SELECT factor_secrets FROM accounts WHERE project_id = \(project: project) AND account_id = \(accountID)"
    }

    /// The account's factors with their secrets, from the rows of `select`. Throws `sealBroken`.
    func factors(of account: Account, _ rows: [Row], in project: ProjectSettings) throws(AccountError) -> SecondFactors {
        let sealed = try reading { try rows.first?.value(as: [UInt8]?.self) ?? nil }
        return SecondFactors(try opened(account, sealed, in: project))
    }

    /// Stores a changed list in place of the one that was read, and ends the account's pending sign-ins.
    ///
    /// - Parameters:
    ///   - factors: with their secrets.
    ///   - read: the account as it was read.
    ///   - used: the newest used step of an authenticator app that is added, and its id.
    func store(
        _ factors: SecondFactors, of read: Account, used: (id: String, step: Int64)? = nil, in project: ProjectSettings
    ) -> (changed: Account, statements: [SQL]) {
        var changed = read
        changed.secondFactors = factors.text
        let sealed = sealed(changed, in: project)
        changed.secondFactors = Self.split(factors.text).shown
        let steps: SQL = used.map { "coalesce(totp_steps, '{}') || jsonb_build_object(\($0.id)::text, \($0.step)::bigint)" } ?? "totp_steps"
        let update = SQL.required(
            """
            UPDATE accounts SET second_factors = \(changed.secondFactors), factor_secrets = \(sealed), totp_steps = \(steps)
            WHERE project_id = \(project: project) AND account_id = \(read.id) AND NOT disabled AND \(read.sessionsStand)
                AND second_factors IS NOT DISTINCT FROM \(read.secondFactors) RETURNING account_id
            """)
        return (changed, [update, read.endPendingSignIns(in: project), read.forgetDevices(in: project)])
    }

    static func context(_ project: String, _ accountID: String) -> String { "\(project) \(accountID)" }
}
