import Crypto

/// The one secret that an operator keeps: 32 bytes, from which every key is derived that must not be in the database.
///
/// While it is being changed, there are several: the first one seals and makes tokens, each of them opens and recognises. So nothing that
/// a former key sealed or made is lost as long as that key is listed. Losing the key ends all sessions and flows and makes the stored
/// signing keys unreadable; accounts stay.
package struct MasterKey: Sendable {
    /// Seals signing keys at rest.
    let signingKeys: SealingKeys
    /// Seals the data that a sign-in flow must store and a reader of the database must not learn.
    let flows: SealingKeys
    /// Seals pending tokens, which clients keep.
    let pendingTokens: SealingKeys
    /// Seals what waits to be delivered, since mails contain links that work.
    let deliveries: SealingKeys
    /// Seals the tokens of providers that are kept for back ends.
    let providerTokens: SealingKeys
    /// Seals the keys that other systems made their password hashes with.
    let hashKeys: SealingKeys
    /// Authenticates the fingerprints of imported passwords.
    let importedPasswords: [UInt8]
    /// Seals the secrets of second factors.
    let factorSecrets: SealingKeys
    /// Seals the secrets of authenticator apps that are being enrolled, which clients keep.
    let enrollments: SealingKeys
    /// Authenticates recovery codes.
    let recoveryCodes: [UInt8]
    /// Authenticates the secrets of remembered devices.
    let rememberedDevices: [UInt8]
    /// Authenticates the digits that are mailed in the place of a lost second factor.
    let lostFactors: [UInt8]
    /// Seals what Firebase goes on with to judge a second factor.
    let formerSignIns: SealingKeys
    /// Authenticate refresh tokens; the first one makes them.
    let refreshTokens: [RefreshTokenKey]
    /// The same for the cookies of sessions at the pages, and for the refresh tokens of relying parties.
    let browserSessions: [RefreshTokenKey]
    let clientSessions: [RefreshTokenKey]
    /// Authenticate the access tokens of administrators; the first one makes them.
    let accessTokens: [[UInt8]]
    /// Name the sessions that go on from Firebase's refresh tokens; the first one names them, the others find what is named already.
    let bridgedSessions: [[UInt8]]
    /// Authenticates the digits that are mailed to prove an address.
    let emailCodes: [UInt8]
    /// Authenticate the challenges of passkeys; the first one makes them.
    let passkeyChallenges: [[UInt8]]
    /// Authenticates the digits that are sent to phones.
    let phoneCodes: [UInt8]
    /// Seals the proofs that a person has a phone number.
    let phoneProofs: SealingKeys
    /// Authenticate the questions of `gatehouse doctor` to a running server; the first one makes them.
    let operatorProofs: [[UInt8]]
    /// Seals what a browser keeps while an operator is at the provider of the console.
    let consoleFlows: SealingKeys
    /// Authenticate the challenges of operators' passkeys; the first one makes them.
    let operatorPasskeys: [[UInt8]]
    /// Name e-mail addresses in the log and in audit events; the first one names them, the others find what is named already.
    let addressHashes: [[UInt8]]
    /// Seals the places in lists of accounts, which stand in the addresses of pages.
    let listPositions: SealingKeys
    /// Name people who were erased; the first one names them, the others find whom is named already.
    let erasures: [[UInt8]]
    /// Mixed with a flow's one-time code into the key that seals the provider's answer.
    private let flowResponses: [[UInt8]]

    /// Each is 32 bytes from a good source. `others` are former keys, and one that will become the first.
    package init(bytes: [UInt8], others: [[UInt8]] = []) {
        let all = [bytes] + others
        func derived(_ purpose: String) -> [[UInt8]] {
            all.map { HKDF.sha256(secret: $0, salt: [], info: "gatehouse \(purpose)", length: 32) }
        }
        signingKeys = SealingKeys(derived("signing keys"))
        flows = SealingKeys(derived("flows"))
        pendingTokens = SealingKeys(derived("pending tokens"))
        deliveries = SealingKeys(derived("mail outbox"))
        providerTokens = SealingKeys(derived("provider tokens"))
        hashKeys = SealingKeys(derived("keys of imported hashes"))
        importedPasswords = derived("fingerprints of imported passwords")[0]
        factorSecrets = SealingKeys(derived("secrets of second factors"))
        enrollments = SealingKeys(derived("enrolments of second factors"))
        recoveryCodes = derived("recovery codes")[0]
        rememberedDevices = derived("remembered devices")[0]
        lostFactors = derived("digits for lost second factors")[0]
        formerSignIns = SealingKeys(derived("sign-ins at Firebase"))
        let ids = derived("id").map { id in id.prefix(4).reduce(0) { $0 << 8 | Int32($1) } }
        func tokenKeys(_ purpose: String) -> [RefreshTokenKey] { zip(ids, derived(purpose)).map(RefreshTokenKey.init) }
        refreshTokens = tokenKeys("refresh tokens")
        browserSessions = tokenKeys("browser sessions")
        clientSessions = tokenKeys("client sessions")
        accessTokens = derived("access tokens of administrators")
        bridgedSessions = derived("sessions of Firebase's refresh tokens")
        operatorProofs = derived("probes of the operator")
        emailCodes = derived("e-mail codes")[0]
        passkeyChallenges = derived("challenges of passkeys")
        phoneCodes = derived("phone codes")[0]
        phoneProofs = SealingKeys(derived("phone proofs"))
        consoleFlows = SealingKeys(derived("sign-ins at the console"))
        operatorPasskeys = derived("challenges of operators' passkeys")
        addressHashes = derived("hashes of addresses")
        listPositions = SealingKeys(derived("places in lists of accounts"))
        erasures = derived("names of erased people")
        flowResponses = derived("flow responses")
    }

    /// Whether a former key is listed besides the first.
    package var isBeingChanged: Bool { operatorProofs.count > 1 }

    /// The id of the key that makes refresh tokens; the key cannot be computed from it.
    var tokenKey: Int32 { refreshTokens[0].id }

    /// The keys of one flow. Half of each is `secret`, which only the flow's own client has.
    func flowKeys(_ secret: [UInt8], for purpose: String) -> SealingKeys {
        SealingKeys(flowResponses.map { HKDF.sha256(secret: $0, salt: secret, info: "gatehouse flow \(purpose)", length: 32) })
    }

    /// The reason why a text is not a master key.
    package enum TextFault: Error {
        case notAKey
        /// Random bytes do not repeat so often: a person typed them, or they were never filled.
        case notRandom

        /// The text for the operator, to stand after the key's name.
        package var message: String {
            let remedy = "make a key with: openssl rand -base64 32"
            return switch self {
            case .notAKey: "is not 32 bytes as base64 or hex; \(remedy)"
            case .notRandom: "repeats the same few bytes, so it can be guessed; \(remedy)"
            }
        }
    }

    /// Of 32 random bytes, fewer different values than this occur once in 10^15 keys.
    private static let fewestDifferentBytes = 16

    /// Reads 32 bytes written as base64 or as 64 hex digits.
    package static func bytes(of text: String) throws(TextFault) -> [UInt8] {
        let text = String(decoding: text.utf8.filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }, as: UTF8.self)
        let readings = [Hex.decode(text), Base64.decode(text)].compactMap { $0 }
        guard let bytes = readings.first(where: { $0.count == 32 }) else { throw .notAKey }
        guard Set(bytes).count >= Self.fewestDifferentBytes else { throw .notRandom }
        return bytes
    }
}

/// The key that authenticates refresh tokens, and the number under which a session stores it.
struct RefreshTokenKey: Sendable {
    let id: Int32
    let bytes: [UInt8]
}

extension SealingKeys {
    /// At least one, of 32 bytes each.
    fileprivate init(_ keys: [[UInt8]]) { self.init(SealingKey(keys[0]), keys.dropFirst().map(SealingKey.init)) }
}
