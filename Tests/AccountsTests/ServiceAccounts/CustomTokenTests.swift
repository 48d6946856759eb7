@testable import Accounts
import Crypto
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct CustomTokenTests {
    private static let issuer = "backend@demo.iam.gserviceaccount.com"
    private static let now = Instant(seconds: 1_800_000_000)

    private static let right: JSON.Object = [
        "iss": .string(issuer), "sub": .string(issuer), "aud": .string(CustomToken.audience), "iat": 1_800_000_000, "exp": 1_800_003_600,
        "uid": "ada",
    ]

    /// The right claims, with these in place of theirs; `null` removes one.
    private static func claims(_ changes: JSON.Object) -> JSON {
        var claims = right
        for member in changes { claims[member.name] = member.value.isNull ? .none : member.value }
        return .object(claims)
    }

    private static func live(_ key: FakeKey, project: String = "demo", kid: String? = nil) -> ServiceAccountKey {
        ServiceAccountKey(
            projectID: project, id: kid ?? key.id, rights: [.customTokens],
            key: JWK(key: key.key.publicKey, kid: UTF8Text(kid ?? key.id), algorithm: .rs256))
    }

    private func read(_ text: String, keys: [ServiceAccountKey]? = nil) throws(CustomTokenError) -> CustomToken {
        let keys = keys ?? (try? [Self.live(.rsa())]) ?? []
        return try CustomToken.Unverified.parse(UTF8Text(text)).verified(by: keys, for: "demo", at: Self.now)
    }

    private func read(_ changes: JSON.Object, header: JSON.Object = [:]) throws -> CustomToken {
        try read(try FakeKey.rsa().sign(Self.claims(changes), header: header))
    }

    private func refusal(_ changes: JSON.Object, header: JSON.Object = [:]) throws -> CustomTokenError? {
        do {
            _ = try read(changes, header: header)
            return nil
        } catch let error as CustomTokenError { return error }
    }

    private func isInvalid(_ text: String, keys: [ServiceAccountKey]? = nil) -> Bool {
        do {
            _ = try read(text, keys: keys)
            return false
        } catch { if case .invalid = error { return true } else { return false } }
    }

    @Test func `a NUL in iss or kid makes it invalid before any query`() throws {
        #expect(isInvalid(try FakeKey.rsa().sign(Self.claims(["iss": "a\0b", "sub": "a\0b"]))))
        #expect(isInvalid(try FakeKey.rsa().sign(Self.claims([:]), header: ["kid": "a\0b"])))
    }

    @Test func `reads who it is for and what it adds`() throws {
        let token = try read(["claims": ["role": "admin", "level": 3]])
        #expect(token.uid == "ada")
        #expect(token.developerClaims == #"{"role":"admin","level":3}"#)
        #expect(token.expires == Instant(seconds: 1_800_003_660))
        #expect(try read([:]).developerClaims == nil)
        #expect(try read(["claims": [:]]).developerClaims == nil)
    }

    @Test func `takes user_id for uid, and uid of the two`() throws {
        #expect(try read(["uid": nil, "user_id": "ada"]).uid == "ada")
        #expect(try read(["user_id": "grace"]).uid == "ada")
        let null: JSON.Object = [
            "uid": .null, "user_id": "grace", "iss": .string(Self.issuer), "sub": .string(Self.issuer),
            "aud": .string(CustomToken.audience),
            "iat": 1_800_000_000, "exp": 1_800_003_600,
        ]
        #expect(try read(try FakeKey.rsa().sign(.object(null))).uid == "grace")
    }

    @Test func `finds the key without a kid, and with one that key alone`() throws {
        let token = try FakeKey.rsa().sign(Self.claims([:]), header: ["kid": nil])
        let others = [Self.live(try .otherRSA("other")), Self.live(try .rsa())]
        #expect(try read(token, keys: others).uid == "ada")
        let named = try FakeKey.rsa("other").sign(Self.claims([:]))
        #expect(throws: CustomTokenError.self) { try read(named, keys: others) }
    }

    @Test func `names the same token the same and another otherwise`() throws {
        #expect(try read([:]).digest == read([:]).digest)
        #expect(try read([:]).digest != read(["uid": "grace"]).digest)
        #expect(try read([:]).digest.count == 16)
    }

    @Test(
        arguments: [
            ["aud": "demo"], ["aud": nil], ["aud": [.string(CustomToken.audience)]], ["iss": "somebody@demo.iam.gserviceaccount.com"],
            ["sub": "ada"], ["sub": nil], ["iss": nil], ["iss": "", "sub": ""], ["iat": nil], ["exp": nil], ["iat": "1800000000"],
            ["iat": 1_799_996_340, "exp": 1_799_999_940], ["iat": 1_800_000_061], ["exp": 1_800_003_601], ["iat": 1_799_990_000],
            ["iat": 1_800_000_050, "exp": 1_800_000_050], ["exp": 9_223_372_036_854_775_807], ["iat": -9_223_372_036_854_775_807],
            ["exp": 1e300], ["nbf": 1_800_000_061], ["nbf": "now"],
            ["uid": 7], ["uid": ["ada"]], ["uid": .string(String(repeating: "a", count: 129))], ["uid": "a\u{0}b"], ["uid": "a\nb"],
        ] as [JSON.Object])
    func `refuses as invalid what a claim makes wrong`(changes: JSON.Object) throws {
        #expect(isInvalid(try FakeKey.rsa().sign(Self.claims(changes))))
    }

    @Test(
        arguments: [
            ["iat": 1_800_000_060, "exp": 1_800_003_660], ["exp": 1_800_000_001], ["iat": 1_799_996_341, "exp": 1_799_999_941],
            ["iat": 1_800_000_000.5, "exp": 1_800_003_600.9], ["nbf": 1_799_999_999.5],
            ["uid": .string(String(repeating: "a", count: 128))], ["uid": .string(String(repeating: "ä", count: 128))], ["tenant_id": ""],
            ["nbf": 1_800_000_000], ["claims": .object(["a": .string(String(repeating: "x", count: 992))])],
        ] as [JSON.Object])
    func `takes what is just right`(changes: JSON.Object) throws { #expect(try refusal(changes) == nil) }

    @Test func `tells what is wrong with uid, tenant and claims, in this order`() throws {
        let everything: JSON.Object = ["tenant_id": 7, "uid": "", "claims": "x"]
        #expect(try refusal(everything) == .missingUID)
        #expect(try refusal(["tenant_id": 7, "claims": "x"]) == .tenant)
        #expect(try refusal(["uid": nil]) == .missingUID)
        for claims: JSON in ["x", 7, [1], false] { #expect(try refusal(["claims": claims]) == .invalidClaims) }
        #expect(try refusal(["claims": ["a": .string(String(repeating: "x", count: 993))]]) == .claimsTooLarge)
        #expect(try refusal(["claims": ["a": .string(String(repeating: "x", count: 2000)), "aud": 1]]) == .forbiddenClaim("aud"))
    }

    @Test(arguments: ProjectSettings.CustomTokens.reservedClaims.sorted())
    func `refuses a reserved claim by its name`(name: UTF8Text) throws {
        #expect(try refusal(["claims": .object(JSON.Object([("role", "x"), (name, .null)]))]) == .forbiddenClaim(name))
    }

    @Test func `there are sixteen reserved names`() { #expect(ProjectSettings.CustomTokens.reservedClaims.count == 16) }

    @Test func `only a signature by another project's key is told that the key is of another project`() throws {
        let token = try FakeKey.rsa().sign(Self.claims([:]))
        #expect(throws: CustomTokenError.otherProject) { try read(token, keys: [Self.live(try .rsa(), project: "other")]) }
        let forged = try FakeKey.otherRSA().sign(Self.claims([:]))
        #expect(isInvalid(forged, keys: [Self.live(try .rsa(), project: "other")]))
        let expired = try FakeKey.rsa().sign(Self.claims(["iat": 1_799_990_000, "exp": 1_799_993_600]))
        #expect(isInvalid(expired, keys: [Self.live(try .rsa(), project: "other")]))
    }

    @Test func `SEC-12 refuses every other way to sign, and keys that a token brings along`() throws {
        let key = try FakeKey.rsa()
        let body = Base64URL.encode(Self.claims([:]).bytes())
        func header(_ json: JSON) -> String { Base64URL.encode(json.bytes()) }
        let none = header(["alg": "none", "typ": "JWT"])
        let symmetric = header(["alg": "HS256", "kid": .string(key.id)]) + "." + body
        let mac = Base64URL.encode(Digest.hmacSHA256(key: Array(key.key.publicKey.pem.utf8), Array(symmetric.utf8)))
        let right = try key.sign(Self.claims([:]))
        let signature = right.split(separator: ".")[2]
        let stranger = try FakeKey.otherRSA()
        let brought: JSON.Object = ["jwk": stranger.json, "jku": "https://evil.example/jwks"]
        let twice = #"{"iss":"a",\#(String(decoding: Self.claims([:]).bytes(), as: UTF8.self).dropFirst())"#
        let hostile = [
            none + "." + body + ".", none + "." + body, none + "." + body + "." + signature, symmetric + "." + mac,
            try FakeKey.ec(key.id).sign(Self.claims([:])), try FakeKey.ed25519(key.id).sign(Self.claims([:])),
            try FakeKey(key.id, .ps256, key.key).sign(Self.claims([:])), try stranger.sign(Self.claims([:])),
            try stranger.sign(Self.claims([:]), header: brought), try key.sign(Self.claims([:]), header: ["kid": "other"]),
            try key.sign(Self.claims([:]), header: ["crit": ["b64"], "b64": false]), try key.sign(Array(twice.utf8)), right + "=",
            right + ".",
            String(right.dropLast(4)), "", "a.b.c", String(decoding: Self.claims([:]).bytes(), as: UTF8.self),
            try key.sign(Self.claims(["claims": ["a": .string(String(repeating: "x", count: 1 << 20))]])),
        ]
        for token in hostile { #expect(isInvalid(token), "\(token.prefix(200))") }
        #expect(try read(right).uid == "ada")
        #expect(throws: CustomTokenError.self) { try read(right, keys: []) }
    }

    // MARK: Without a signature

    private func unsigned(_ changes: JSON.Object = [:], header: JSON = ["alg": "none", "typ": "JWT"], signature: String = "") throws
        -> CustomToken?
    {
        let parts = [header, Self.claims(changes)].map { Base64URL.encode($0.bytes()) } + [signature]
        return try CustomToken.unsigned(UTF8Text(parts.joined(separator: ".")), at: Self.now)
    }

    @Test func `reads a token of the Admin SDKs' emulator mode`() throws {
        let token = try #require(try unsigned(["claims": ["role": "admin"]]))
        #expect(token.uid == "ada" && token.developerClaims == #"{"role":"admin"}"#)
        #expect(token.expires == Instant(seconds: 1_800_003_660))
        #expect(try unsigned()?.digest != unsigned(["uid": "grace"])?.digest)
    }

    @Test func `reads the plain JSON that test suites write by hand`() throws {
        let token = try #require(try CustomToken.unsigned(#"{"uid":"ada","claims":{"role":"admin"}}"#, at: Self.now))
        #expect(token.uid == "ada" && token.developerClaims == #"{"role":"admin"}"#)
        #expect(token.issued == Self.now && token.expires > Self.now)
        for text: UTF8Text in ["{}", "{", #"{"uid":7}"#, #"{"uid":"ada","claims":{"aud":1}}"#] {
            #expect(throws: CustomTokenError.self) { try CustomToken.unsigned(text, at: Self.now) }
        }
    }

    @Test func `SEC-22 leaves every token that is not quite unsigned to the signed ones' rules`() throws {
        for algorithm: JSON in ["RS256", "None", "NONE", "", .null, ["none"]] { #expect(try unsigned(header: ["alg": algorithm]) == nil) }
        #expect(try unsigned(header: [:]) == nil)
        #expect(try unsigned(signature: "AAAA") == nil)
        #expect(try unsigned(signature: ".") == nil)
        #expect(try unsigned(["claims": ["a": .string(String(repeating: "x", count: 20_000))]]) == nil)
        for text: UTF8Text in ["", ".", "..", "a.b.", "[]", " {}"] { #expect(try CustomToken.unsigned(text, at: Self.now) == nil) }
    }

    @Test(
        arguments: [
            ["aud": "demo"], ["sub": "ada"], ["iss": nil], ["iat": nil], ["exp": nil], ["iat": 1_800_000_061], ["exp": 1_800_003_601],
            ["iat": 1_799_996_000, "exp": 1_800_000_000], ["nbf": 1_800_000_061], ["uid": 7], ["uid": "a\u{0}b"], ["uid": ""],
            ["tenant_id": 7], ["claims": "x"], ["claims": ["aud": 1]],
        ] as [JSON.Object])
    func `SEC-22 asks of an unsigned token what it asks of a signed one`(changes: JSON.Object) {
        #expect(throws: CustomTokenError.self) { try unsigned(changes) }
    }

    @Test func `SEC-22 refuses an unsigned token with extensions`() {
        #expect(throws: CustomTokenError.malformed) { try unsigned(header: ["alg": "none", "crit": ["b64"]]) }
    }
}
