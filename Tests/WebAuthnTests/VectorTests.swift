import Crypto
import FoundationEssentials
import JSON
import Testing
import Text
@testable import WebAuthn

/// The vectors of the specification. `Tests/Vectors/webauthn.txt` says where they come from.
@Suite struct VectorTests {
    enum Verdict { case accepted, acceptedInFrames, algorithm, unread }

    static let verdicts: [(String, Verdict)] = [
        ("none-es256", .accepted), ("packed-self-es256", .accepted), ("none-es256-crossOrigin", .acceptedInFrames),
        ("none-es256-topOrigin", .acceptedInFrames), ("none-es256-long-credential-id", .accepted), ("packed-es256", .accepted),
        ("packed-es384", .algorithm), ("packed-es512", .algorithm), ("packed-rs256", .accepted), ("packed-eddsa", .accepted),
        ("packed-ed448", .algorithm), ("tpm-es256", .unread), ("android-key-es256", .unread), ("apple-es256", .unread),
        ("fido-u2f-es256", .unread),
    ]

    typealias Vector = [String: [UInt8]]

    static let vectors: [String: Vector] = {
        let path = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Vectors/webauthn.txt"
        guard let text = try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self) else { return [:] }
        var vectors: [String: Vector] = [:]
        var name = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if words[0] == "name" {
                name = String(words[1])
            } else {
                vectors[name, default: [:]][String(words[0])] = Hex.decode(String(words[1]))
            }
        }
        return vectors
    }()

    static func rules(_ challenge: [UInt8]?, framing: CeremonyRules.Framing = .refused) -> CeremonyRules {
        .test(
            rpID: "example.org", origin: "https://example.org", verification: false, framing: framing, challenge: .bytes(challenge ?? []))
    }

    static func registration(_ vector: Vector) -> JSON {
        let id = JSON.string(Base64URL.encode(vector["reg.credential_id"] ?? []))
        return [
            "id": id,
            "response": [
                "clientDataJSON": .string(Base64URL.encode(vector["reg.clientDataJSON"] ?? [])),
                "attestationObject": .string(Base64URL.encode(vector["reg.attestationObject"] ?? [])),
            ],
        ]
    }

    static func assertion(_ vector: Vector) -> JSON {
        [
            "id": .string(Base64URL.encode(vector["reg.credential_id"] ?? [])),
            "response": .object(
                JSON.Object(
                    ["clientDataJSON", "authenticatorData", "signature"].map {
                        (UTF8Text($0), .string(Base64URL.encode(vector["auth.\($0)"] ?? [])))
                    })),
        ]
    }

    static func register(_ vector: Vector, framing: CeremonyRules.Framing = .refused) throws -> NewCredential {
        try RegistrationResponse(registration(vector)).verified(by: rules(vector["reg.challenge"], framing: framing))
    }

    static func signIn(_ vector: Vector, to new: NewCredential, framing: CeremonyRules.Framing = .refused) throws {
        let rules = rules(vector["auth.challenge"], framing: framing)
        let stored = StoredCredential(key: new.key, signCount: new.signCount, isBackupEligible: new.isBackupEligible, userHandle: [])
        let claim = try AuthenticationResponse(assertion(vector)).claim(by: rules)
        let verified = try claim.verified(by: rules, stored: stored, needsUserHandle: false)
        #expect(verified.suggestsClone == false)
    }

    @Test func `has all vectors`() { #expect(Set(Self.vectors.keys) == Set(Self.verdicts.map(\.0))) }

    @Test(arguments: verdicts) func `SEC-44 gives each vector its verdict`(name: String, verdict: Verdict) throws {
        let vector = try #require(Self.vectors[name])
        switch verdict {
        case .accepted:
            let new = try Self.register(vector)
            #expect(new.attestation == (name.hasPrefix("none") || name.hasPrefix("packed-self") ? .selfMade : .signed))
            try Self.signIn(vector, to: new)
        case .acceptedInFrames:
            #expect(throws: CeremonyError.refused(.crossOrigin)) { try Self.register(vector) }
            let framing = CeremonyRules.Framing.allowed(within: ["https://example.com"])
            try Self.signIn(vector, to: Self.register(vector, framing: framing), framing: framing)
        case .algorithm:
            #expect(throws: CeremonyError.refused(.algorithm)) { try Self.register(vector) }
        case .unread:
            let new = try Self.register(vector)
            #expect(new.attestation == .unread)
            try Self.signIn(vector, to: new)
        }
    }

    @Test func `reads the RSA key of 3482 bits`() throws {
        let new = try Self.register(#require(Self.vectors["packed-rs256"]))
        #expect(new.key.key.bits == 3482)
    }
}
