import Accounts
import Crypto
import JSON
import Runtime
import Text

/// The calls that bring what changed of one account to Google.
///
/// Only what changed here is brought: the rest of Google's record may have been changed there.
struct MirroredAccount {
    enum Step: Equatable {
        /// Google gets the whole record, which takes the place of the one there, if there is one. `nil` stands for a record without a password.
        case replace(record: JSON, FirebaseHash?)
        /// Google changes the record by these bodies of `accounts:update`, in turn.
        case update([JSON])
        /// An account that came from Google is there no more.
        case leaveGone
        /// Another account has the id there: no import has brought it here, and this server has not made it there.
        case leaveOther
    }

    let step: Step
    /// Whether Google does not get the password that was set here: it takes a hash only with a whole record, and a second factor there would be
    /// lost with the former one. Nor does it check hashes of all schemes.
    let leavesPassword: Bool

    /// - Parameter there: the record at Google; `nil` where there is none.
    init(_ changed: AccountMirror.Changed, there: JSON?) {
        let hash = changed.passwordHash
        let kind = hash.flatMap(FirebaseHash.init(forUpload:))
        let brought = kind == nil ? nil : hash
        guard let there else {
            step = changed.isImported ? .leaveGone : .replace(record: changed.account.newRecord(brought), kind)
            leavesPassword = !changed.isImported && hash != nil && brought == nil
            return
        }
        guard changed.isImported || there.isCopy(madeAt: changed.account.createdAt.milliseconds) else {
            (step, leavesPassword) = (.leaveOther, false)
            return
        }
        // No call gives back the secret of such a factor, nor a passkey, so no import can bring it again.
        let hasLastingFactor =
            (there["mfaInfo"]?.array ?? []).contains { $0["phoneInfo"] == nil } || !(there["passkeyInfo"]?.array ?? []).isEmpty
        let setsPassword = changed.fields.contains(.password) && hash != nil
        if setsPassword, let brought, !hasLastingFactor {
            step = .replace(record: changed.record(brought, over: there), kind)
            leavesPassword = false
        } else {
            step = .update(changed.updates(of: there))
            leavesPassword = setsPassword
        }
    }

    /// The body that makes Google end what it gave to the person, and refuse them where they are disabled here.
    ///
    /// - Parameter until: nothing counts that Google gave before this time.
    static func revocation(of changed: AccountMirror.Changed, until: Instant? = nil, there: JSON) -> JSON {
        var body: JSON.Object = ["localId": .string(changed.account.id)]
        if changed.fields.contains(.disabled) { body["disableUser"] = .bool(changed.account.disabled) }
        if changed.isRevoked { body["validSince"] = changed.account.validSince(at: there, until: until) }
        return .object(body)
    }
}

extension AccountMirror.Changed {
    /// The record at Google with what changed here, and with the password.
    fileprivate func record(_ hash: PasswordHash, over there: JSON) -> JSON {
        var record: JSON.Object = [:]
        for name in Self.keptMembers { record[name] = there[name] }
        for (name, value) in members { record[name] = value }
        let identities = fields.contains(.identities) ? account.identities.map(\.atGoogle) : there.identities
        record["providerUserInfo"] = identities.isEmpty ? nil : .array(identities)
        record["validSince"] = isRevoked ? account.validSince(at: there) : there["validSince"]
        if !isImported { record["createdAt"] = account.createdAtForGoogle }
        record.set(hash)
        return .object(record)
    }

    /// The members of a record that an upload takes, without those that `record` makes anew.
    private static let keptMembers: [UTF8Text] = [
        "localId", "email", "emailVerified", "displayName", "photoUrl", "phoneNumber", "customAttributes", "disabled", "createdAt",
        "lastLoginAt", "mfaInfo",
    ]

    /// The bodies of `accounts:update` that bring what changed here. Google links one identity by a call.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/update>
    fileprivate func updates(of there: JSON) -> [JSON] {
        var update: JSON.Object = ["localId": .string(account.id)]
        if isRevoked { update["validSince"] = account.validSince(at: there) }
        if !isImported { update["createdAt"] = account.createdAtForGoogle }
        var (attributes, providers): ([JSON], [JSON]) = ([], [])
        for (name, value) in members {
            switch (name, value) {
            case ("disabled", _): update["disableUser"] = value
            case (_, .some): update[name] = value
            case _ where there[name] == nil: break
            case ("email", _): attributes.append("EMAIL")
            case ("displayName", _): attributes.append("DISPLAY_NAME")
            case ("photoUrl", _): attributes.append("PHOTO_URL")
            case ("phoneNumber", _): providers.append(.string(SignInProvider.phone))
            default: break
            }
        }
        var missing: [LinkedIdentity] = []
        if fields.contains(.identities) {
            let known = there.identities
            providers += known.filter { known in !account.identities.contains { $0.isSame(as: known) } }.compactMap { $0["providerId"] }
            missing = account.identities.filter { identity in !known.contains { identity.isSame(as: $0) } }
        }
        if fields.contains(.password), passwordHash == nil, there["passwordHash"] != nil {
            providers.append(.string(SignInProvider.password))
        }
        if !attributes.isEmpty { update["deleteAttribute"] = .array(attributes) }
        if !providers.isEmpty { update["deleteProvider"] = .array(providers) }
        return [.object(update)] + missing.map { .object(["localId": .string(account.id), "linkProviderUserInfo": $0.atGoogle]) }
    }

    private var members: [(UTF8Text, JSON?)] { fields.flatMap(account.members) }
}

extension Account {
    /// An element of `users` of `accounts:batchCreate`, for an account that Google does not have.
    /// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo>
    fileprivate func newRecord(_ hash: PasswordHash?) -> JSON {
        var record: JSON.Object = ["localId": .string(id), "validSince": .string("\(validSince.seconds)")]
        for field in AuditEvent.Field.allCases { for (name, value) in members(of: field) { record[name] = value } }
        if let hash { record.set(hash) }
        record["createdAt"] = createdAtForGoogle
        record["lastLoginAt"] = lastLoginAt.map { .string("\($0.milliseconds)") }
        if !identities.isEmpty { record["providerUserInfo"] = .array(identities.map(\.atGoogle)) }
        let phones = (secondFactors.flatMap { (try? JSON.parse($0))?.array } ?? []).filter { $0["phoneInfo"] != nil }
        if !phones.isEmpty { record["mfaInfo"] = .array(phones) }
        return .object(record)
    }

    /// The members of Google's record that a field stands for; `nil` for those that the account lacks.
    fileprivate func members(of field: AuditEvent.Field) -> [(UTF8Text, JSON?)] {
        switch field {
        case .email: [("email", email.map { .string($0) }), ("emailVerified", .bool(emailVerified))]
        case .profile: [("displayName", displayName.map { .string($0) }), ("photoUrl", photoURL.map { .string($0) })]
        case .phoneNumber: [("phoneNumber", phoneNumber.map { .string($0) })]
        case .claims: [("customAttributes", .string(customAttributes ?? "{}"))]
        case .disabled: [("disabled", .bool(disabled))]
        case .password, .identities: []
        }
    }

    /// The time of creation is also how a copy is known (`isCopy`).
    fileprivate var createdAtForGoogle: JSON { .string("\(createdAt.milliseconds)") }

    /// An ending that Google knows already stays.
    fileprivate func validSince(at there: JSON, until: Instant? = nil) -> JSON {
        let known = there["validSince"]?.string.flatMap { Int64($0.asString) } ?? 0
        return .string("\(max(allEndedAt.seconds, known, until?.seconds ?? 0))")
    }
}

extension JSON {
    /// Whether the record at Google is a copy of an account that was made here at a time, in milliseconds: it has the time of creation that it was
    /// copied with. One that has nothing of a person was made by a custom token for their data.
    func isCopy(madeAt time: Int64?) -> Bool {
        let isEmpty = ["email", "phoneNumber", "passwordHash", "customAttributes"].allSatisfy { self[$0] == nil }
        return isEmpty && identities.isEmpty || time.map { self["createdAt"]?.string == UTF8Text("\($0)") } ?? false
    }

    /// The identities of a record at Google at providers.
    fileprivate var identities: [JSON] {
        let others = [UTF8Text(SignInProvider.password), UTF8Text(SignInProvider.phone)]
        return (self["providerUserInfo"]?.array ?? []).filter { identity in
            identity["providerId"]?.string.map { !others.contains($0) } ?? false
        }
    }
}

extension JSON.Object {
    fileprivate mutating func set(_ hash: PasswordHash) {
        self["passwordHash"] = .string(Base64URL.encode(hash.digest))
        self["salt"] = .string(Base64URL.encode(hash.salt))
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

    fileprivate func isSame(as identity: JSON) -> Bool {
        identity["providerId"]?.string == UTF8Text(providerID) && identity["rawId"]?.string == UTF8Text(subject)
    }
}

extension FirebaseHash {
    /// `nil` for a hash that no upload of ours can bring.
    fileprivate init?(forUpload hash: PasswordHash) {
        guard let made = try? FirebaseHash(hash), made.uploadParameters != nil else { return nil }
        self = made
    }

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
