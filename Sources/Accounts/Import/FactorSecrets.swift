import Crypto
import JSON
import ProjectSettings
import Text

/// The secrets of second factors that accounts brought from other systems: what an authenticator app computes its codes from. They are stored
/// sealed, beside the factors without them, which administrators and the person see.
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

    static func context(_ project: String, _ accountID: String) -> String { "\(project) \(accountID)" }
}
