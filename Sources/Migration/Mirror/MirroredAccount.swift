import Accounts
import Crypto
import JSON
import Runtime
import Text

/// The calls that make one account at Google as it is here.
struct MirroredAccount {
    enum Step: Equatable {
        /// Google gets the whole record, which takes the place of the one there, if there is one. `nil` stands for a record without a password.
        case replace(record: JSON, FirebaseHash?)
        /// Google changes the record by these bodies of `accounts:update`, in turn.
        case update([JSON])
    }

    let step: Step
    /// Whether Google does not get the password that was set here: it takes a hash only with a whole record, and a second factor there would be
    /// lost with the former one. Nor does it check hashes of all schemes.
    let leavesPassword: Bool

    /// - Parameter there: the record at Google; `nil` where there is none.
    init(_ changed: AccountMirror.Changed, there: JSON?) {
        let (account, hash) = (changed.account, changed.passwordHash)
        let kind = hash.flatMap { try? FirebaseHash($0) }.flatMap { $0.uploadParameters == nil ? nil : $0 }
        let brought = kind == nil ? nil : hash
        guard let there else {
            step = .replace(record: account.recordAtGoogle(brought, nil), kind)
            leavesPassword = hash != nil && brought == nil
            return
        }
        // No call gives back the secret of such a factor, so no import can bring it again.
        let hasLastingFactor = (there["mfaInfo"]?.array ?? []).contains { $0["phoneInfo"] == nil }
        if changed.hasOwnPassword, let brought, !hasLastingFactor {
            step = .replace(record: account.recordAtGoogle(brought, there), kind)
            leavesPassword = false
        } else {
            step = .update(account.updatesAtGoogle(there, dropsPassword: changed.hasOwnPassword && hash == nil))
            leavesPassword = changed.hasOwnPassword && hash != nil
        }
    }

    /// The body that makes Google end what it gave to the person, and refuse them where they are disabled here.
    static func revocation(of account: Account, there: JSON) -> JSON {
        .object([
            "localId": .string(account.id), "disableUser": .bool(account.disabled), "validSince": account.validSinceAtGoogle(there),
        ])
    }
}

extension Account {
    /// An element of `users` of `accounts:batchCreate`.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo>
    fileprivate func recordAtGoogle(_ hash: PasswordHash?, _ there: JSON?) -> JSON {
        var record = fieldsAtGoogle(there)
        record["disabled"] = .bool(disabled)
        if let hash {
            record["passwordHash"] = .string(Base64URL.encode(hash.digest))
            record["salt"] = .string(Base64URL.encode(hash.salt))
        }
        record["createdAt"] = .string("\(createdAt.milliseconds)")
        if let lastLoginAt { record["lastLoginAt"] = .string("\(lastLoginAt.milliseconds)") }
        if !identities.isEmpty { record["providerUserInfo"] = .array(identities.map(\.atGoogle)) }
        if let factors = secondFactors.flatMap({ (try? JSON.parse($0))?.array }) {
            record["mfaInfo"] = .array(factors.filter { $0["phoneInfo"] != nil })
        }
        return .object(record)
    }

    /// The bodies of `accounts:update` that leave the record as the account is. Google links one identity by a call.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/update>
    fileprivate func updatesAtGoogle(_ there: JSON, dropsPassword: Bool) -> [JSON] {
        var update = fieldsAtGoogle(there)
        update["disableUser"] = .bool(disabled)
        let attributes = [("EMAIL", "email", email), ("DISPLAY_NAME", "displayName", displayName), ("PHOTO_URL", "photoUrl", photoURL)]
        let dropped = attributes.filter { _, member, value in value == nil && there[UTF8Text(member)] != nil }
        if !dropped.isEmpty { update["deleteAttribute"] = .array(dropped.map { .string($0.0) }) }
        var providers: [JSON] = []
        if phoneNumber == nil, there["phoneNumber"] != nil { providers.append(.string(SignInProvider.phone)) }
        let linked = (there["providerUserInfo"]?.array ?? []).filter { identity in
            let id = identity["providerId"]?.string
            return id != nil && id != UTF8Text(SignInProvider.password) && id != UTF8Text(SignInProvider.phone)
        }
        providers += linked.filter { identity in !identities.contains { $0.isAtGoogle(as: identity) } }.compactMap { $0["providerId"] }
        if dropsPassword, there["passwordHash"] != nil { providers.append(.string(SignInProvider.password)) }
        if !providers.isEmpty { update["deleteProvider"] = .array(providers) }
        let missing = identities.filter { identity in !linked.contains { identity.isAtGoogle(as: $0) } }
        return [.object(update)] + missing.map { .object(["localId": .string(id), "linkProviderUserInfo": $0.atGoogle]) }
    }

    private func fieldsAtGoogle(_ there: JSON?) -> JSON.Object {
        var fields: JSON.Object = [
            "localId": .string(id), "emailVerified": .bool(emailVerified), "validSince": validSinceAtGoogle(there),
            "customAttributes": .string(customAttributes ?? "{}"),
        ]
        let texts = [("email", email), ("phoneNumber", phoneNumber), ("displayName", displayName), ("photoUrl", photoURL)]
        for (name, text) in texts { if let text { fields[UTF8Text(name)] = .string(text) } }
        return fields
    }

    /// An ending that Google knows already stays.
    fileprivate func validSinceAtGoogle(_ there: JSON?) -> JSON {
        let known = there?["validSince"]?.string.flatMap { Int64($0.asString) } ?? 0
        return .string("\(max(validSince.seconds, known))")
    }
}

extension LinkedIdentity {
    fileprivate var atGoogle: JSON {
        var fields: JSON.Object = ["providerId": .string(providerID), "rawId": .string(subject)]
        for (name, text) in [("email", email), ("displayName", displayName), ("photoUrl", photoURL)] {
            if let text { fields[UTF8Text(name)] = .string(text) }
        }
        return .object(fields)
    }

    fileprivate func isAtGoogle(as identity: JSON) -> Bool {
        identity["providerId"]?.string == UTF8Text(providerID) && identity["rawId"]?.string == UTF8Text(subject)
    }
}

extension FirebaseHash {
    /// The members of `accounts:batchCreate` that say how the hashes of its records are made; `nil` for Firebase's own scheme, whose key only
    /// Google has to know.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate>
    var uploadParameters: JSON.Object? {
        var parameters: JSON.Object = ["hashAlgorithm": .string(algorithm)]
        switch self {
        case .standardScrypt(let log2N, let blockSize, let parallelization, let length):
            parameters["cpuMemCost"] = .integer(1 << Int64(log2N))
            parameters["blockSize"] = .integer(Int64(blockSize))
            parameters["parallelization"] = .integer(Int64(parallelization))
            parameters["dkLen"] = .integer(Int64(length))
        case .bcrypt: break
        case .pbkdf2SHA1(let rounds), .pbkdf2SHA256(let rounds): parameters["rounds"] = .integer(Int64(rounds))
        case .firebaseScrypt: return nil
        }
        return parameters
    }
}
