import Crypto
import JSON
import TestKit
import Testing
import Text
@testable import WebAuthn

/// Each check of the registration ceremony, by a response in which only that is wrong.
@Suite struct RegistrationTests {
    @Test(arguments: CredentialAlgorithm.allCases) func `accepts each algorithm that is offered`(algorithm: CredentialAlgorithm) throws {
        let authenticator = try SoftAuthenticator(algorithm)
        let new = try authenticator.register()
        #expect(new.id == authenticator.credentialID)
        #expect(new.key.algorithm == algorithm)
        #expect(new.key.cose == authenticator.publicKey)
        #expect((new.isBackupEligible, new.isBackedUp, new.userVerified) == (true, true, true))
        #expect(new.aaguid == authenticator.aaguid)
        #expect(new.attestation == .selfMade)
    }

    typealias Change = @Sendable (inout SoftAuthenticator) throws -> Void

    static func clientData(_ name: UTF8Text, _ value: JSON?) -> Change {
        { authenticator in
            guard case .object(var object) = authenticator.clientData else { return }
            object[name] = value
            authenticator.clientData = .object(object)
        }
    }

    static func flags(_ flags: UInt8) -> Change { { $0.flags = flags } }

    static let refusals: [(String, RefusedCheck, Change)] = [
        ("a sign-in's type", .type, clientData("type", "webauthn.get")),
        ("a type in capitals", .type, clientData("type", "WebAuthn.create")),
        ("no type", .clientData, clientData("type", nil)),
        ("a type that is a number", .clientData, clientData("type", 1)),
        ("no challenge", .clientData, clientData("challenge", nil)),
        ("no origin", .clientData, clientData("origin", nil)),
        ("crossOrigin that is a text", .clientData, clientData("crossOrigin", "false")),
        ("topOrigin that is a number", .clientData, clientData("topOrigin", 1)),
        ("client data that is a list", .clientData, { $0.clientData = [] }),
        ("client data of 5 kB", .clientData, clientData("more", .string(String(repeating: "x", count: 5000)))),
        ("another host", .origin, clientData("origin", "https://example.com.evil")),
        ("the RP ID itself, which is not listed", .origin, clientData("origin", "https://example.com")),
        ("another port", .origin, clientData("origin", "https://app.example.com:444")),
        ("http", .origin, clientData("origin", "http://app.example.com")),
        ("null", .origin, clientData("origin", "null")),
        ("capitals", .origin, clientData("origin", "https://APP.example.com")),
        ("a slash more", .origin, clientData("origin", "https://app.example.com/")),
        ("another app", .origin, clientData("origin", "android:apk-key-hash:AAAA")),
        ("a frame", .crossOrigin, clientData("crossOrigin", true)),
        ("a page around it", .crossOrigin, clientData("topOrigin", "https://example.org")),
        ("another RP ID", .relyingParty, { $0.rpID = "example.org" }),
        ("a subdomain as RP ID", .relyingParty, { $0.rpID = "app.example.com" }),
        ("no presence", .userPresence, flags(0x5C)),
        ("no verification", .userVerification, flags(0x59)),
        ("a backup of what has none", .backup, flags(0x55)),
        ("no credential", .attestedData, flags(0x1D)),
        ("bytes behind the data", .authenticatorData, { $0.trailing = [0] }),
        ("extensions that are announced only", .authenticatorData, flags(0xDD)),
        ("extensions that are a list", .authenticatorData, { ($0.flags, $0.trailing) = (0xDD, [0x80]) }),
        ("an id of 15 bytes", .credentialID, { $0.credentialID = [UInt8](1...15) }),
        ("an id of 1024 bytes", .credentialID, { $0.credentialID = [UInt8](repeating: 1, count: 1024) }),
        ("a key that is not CBOR", .authenticatorData, { $0.cose = [0xFF] }),
        ("a key without an algorithm", .attestedData, { $0.cose = CBORText.map([(Int64(1), CBORText.integer(2))]) }),
        ("the format none with a statement", .attestation, { $0.statement = { _, _ in CBORText.map([(CBORText.text("sig"), [0])]) } }),
        ("a statement that is a list", .attestation, { $0.statement = { _, _ in [0x80] } }),
        ("packed without a signature", .attestation, { $0.format = "packed" }),
        (
            "a format with a long name", .attestation,
            { $0.format = String(repeating: "x", count: 33) }
        ),
    ]

    @Test(arguments: refusals.indices) func `SEC-41 SEC-42 refuses a response in which one thing is wrong`(index: Int) throws {
        let (why, check, change) = Self.refusals[index]
        var authenticator = try SoftAuthenticator()
        try change(&authenticator)
        #expect(throws: CeremonyError.refused(check), "\(why)") { try authenticator.register() }
    }

    @Test func `SEC-42 judges every combination of flags`() throws {
        for raw in 0..<UInt8.max {
            var authenticator = try SoftAuthenticator()
            authenticator.flags = raw
            if raw & 0x80 != 0 { authenticator.trailing = CBORText.emptyMap }
            // The reserved bits 0x02 and 0x20 count for nothing.
            let isGood = raw & 0x45 == 0x45 && raw & 0x18 != 0x10
            #expect((try? authenticator.register()) != nil || !isGood, "\(raw)")
            #expect((try? authenticator.register()) == nil || isGood, "\(raw)")
        }
    }

    @Test func `asks for no presence where the browser registers by itself`() throws {
        let context = ChallengeTests.context()
        var authenticator = try SoftAuthenticator()
        authenticator.flags = 0x5C
        for (kind, isAccepted) in [(Challenge.Kind.conditionalRegistration, true), (.registration, false)] {
            let challenge = Challenge.make(kind, for: context, key: ChallengeTests.key, at: ChallengeTests.now)
            try Self.clientData("challenge", .string(Base64URL.encode(challenge.bytes)))(&authenticator)
            let rules = CeremonyRules.test(
                challenge: .ours([.registration, .conditionalRegistration], context, keys: [ChallengeTests.key], now: ChallengeTests.now))
            #expect((try? authenticator.register(rules)) != nil || !isAccepted)
            #expect((try? authenticator.register(rules)) == nil || isAccepted)
        }
    }

    @Test func `names the challenge among the first things`() throws {
        var authenticator = try SoftAuthenticator()
        try Self.clientData("challenge", "AAAA")(&authenticator)
        #expect(throws: CeremonyError.challenge) { try authenticator.register() }
        try Self.clientData("challenge", "not base64!")(&authenticator)
        #expect(throws: CeremonyError.refused(.clientData)) { try authenticator.register() }
    }

    @Test func `reads every dialect of base64, and the members that Apple's SDK sends`() throws {
        let authenticator = try SoftAuthenticator()
        let object = try authenticator.attestationObject()
        for encode in [Base64.encode, Base64URL.encode] {
            for padding in ["", "="] {
                func text(_ bytes: [UInt8]) -> JSON {
                    let plain = String(encode(bytes).prefix { $0 != "=" })
                    return .string(plain + String(repeating: padding, count: (4 - plain.utf8.count % 4) % 4))
                }
                let json: JSON = [
                    "id": text(authenticator.credentialID),
                    "response": ["clientDataJSON": text(authenticator.clientData.bytes()), "attestationObject": text(object)],
                ]
                #expect(try RegistrationResponse(json).verified(by: .test()).id == authenticator.credentialID)
            }
        }
    }

    @Test func `strips a byte-order mark, and hashes the bytes as they came`() throws {
        var authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        authenticator.credentialID = [UInt8](1...16)
        let marked = [0xEF, 0xBB, 0xBF] + authenticator.clientData.bytes()
        let data = authenticator.authenticatorData
        var members = ["clientDataJSON": marked, "authenticatorData": data]
        members["signature"] = try authenticator.sign(data + Digest.sha256(marked))
        members["userHandle"] = authenticator.userHandle
        let claim = try AuthenticationResponse(authenticator.response(members)).claim(by: .test())
        _ = try claim.verified(by: .test(), stored: authenticator.stored())
    }

    @Test func `keeps the transports that have a meaning`() throws {
        let authenticator = try SoftAuthenticator()
        guard case .object(var json) = try authenticator.registration(), case .object(var response)? = json["response"] else { return }
        response["transports"] = ["internal", "hybrid", "telepathy", 5]
        json["response"] = .object(response)
        #expect(try RegistrationResponse(.object(json)).verified(by: .test()).transports == ["hybrid", "internal"])
    }

    @Test(
        arguments: [
            (nil, .missingResponse), (.null, .missingResponse), ([], .refused(.shape)), ([:], .refused(.shape)),
            (["id": "AAAA"], .refused(.shape)), (["id": "AAAA", "response": []], .refused(.shape)),
            (["id": "AAAA", "rawId": "BBBB", "response": [:]], .refused(.shape)),
            (["id": "AAAA", "type": "password", "response": [:]], .refused(.shape)),
            (["id": "AAAA", "response": ["clientDataJSON": "AAAA"]], .refused(.shape)),
            (["id": "AAAA", "response": ["clientDataJSON": 5, "attestationObject": "AAAA"]], .refused(.shape)),
            (["id": "A", "response": ["clientDataJSON": "AAAA", "attestationObject": "AAAA"]], .refused(.shape)),
        ] as [(JSON?, CeremonyError)])
    func `refuses what has not the form of a response`(json: JSON?, error: CeremonyError) {
        #expect(throws: error) { try RegistrationResponse(json) }
    }
}
