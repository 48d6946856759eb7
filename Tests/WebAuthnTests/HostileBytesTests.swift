import Crypto
import JSON
import TestKit
import Testing
import Text
@testable import WebAuthn

/// Responses of which bytes were changed, and bytes that never were a response.
@Suite struct HostileBytesTests {
    /// Calls `body` with the bytes, each of them changed in turn in three ways.
    static func mutations(of bytes: [UInt8], _ body: ([UInt8], Int) throws -> Void) rethrows {
        for position in bytes.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var changed = bytes
                changed[position] ^= change
                try body(changed, position)
            }
        }
    }

    @Test(arguments: CredentialAlgorithm.allCases)
    func `SEC-44 refuses an assertion when any of its bytes is another one`(algorithm: CredentialAlgorithm) throws {
        let authenticator = try SoftAuthenticator(algorithm, "webauthn.get")
        let stored = try authenticator.stored()
        let (client, data) = (authenticator.clientData.bytes(), authenticator.authenticatorData)
        var members = ["clientDataJSON": client, "authenticatorData": data, "userHandle": authenticator.userHandle ?? []]
        members["signature"] = try authenticator.sign(data + Digest.sha256(client))
        for (name, bytes) in members {
            Self.mutations(of: bytes) { changed, position in
                var altered = members
                altered[name] = changed
                #expect(throws: CeremonyError.self, "\(name) at \(position)") {
                    try AuthenticationResponse(authenticator.response(altered)).claim(by: .test()).verified(by: .test(), stored: stored)
                }
            }
        }
    }

    @Test func `SEC-44 refuses a registration when any byte of what its own key signed is another one`() throws {
        var authenticator = try SoftAuthenticator(.ed25519)
        authenticator.format = "packed"
        authenticator.statement = { authenticator, signed in
            CBORText.map([
                (CBORText.text("alg"), CBORText.integer(-8)), (CBORText.text("sig"), CBORText.bytes(try authenticator.sign(signed))),
            ])
        }
        #expect(try authenticator.register().attestation == .selfMade)
        let (client, object) = (authenticator.clientData.bytes(), try authenticator.attestationObject())
        Self.mutations(of: client) { changed, position in
            #expect(throws: CeremonyError.self, "client data at \(position)") {
                try RegistrationResponse(authenticator.response(["clientDataJSON": changed, "attestationObject": object]))
                    .verified(by: .test())
            }
        }
        Self.mutations(of: object) { changed, position in
            let response = authenticator.response(["clientDataJSON": client, "attestationObject": changed])
            // Under another name, the statement is of a format that is not read.
            if let new = try? RegistrationResponse(response).verified(by: .test()) {
                #expect(new.attestation == .unread, "attestation object at \(position)")
            }
        }
    }

    @Test func `SEC-44 gives every response of the specification a verdict, whichever byte is another one`() throws {
        for (name, vector) in VectorTests.vectors where name != "packed-rs256" {
            for member in ["reg.clientDataJSON", "reg.attestationObject"] {
                var position = 0
                while position < vector[member]?.count ?? 0 {
                    var changed = vector
                    changed[member]?[position] ^= 0x41
                    _ = try? VectorTests.register(changed)
                    position += 3
                }
            }
        }
    }

    @Test func `SEC-44 survives a hundred thousand inputs`() {
        // A generator of the test's own: the same inputs in each run.
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next() -> UInt8 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        let seeds = VectorTests.vectors.values.compactMap { $0["reg.attestationObject"] }.sorted { $0.lexicographicallyPrecedes($1) }
        for round in 0..<100_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2), !seeds.isEmpty {
                bytes = seeds[round / 2 % seeds.count]
                for _ in 0...(next() & 7) { bytes[(Int(next()) << 8 | Int(next())) % bytes.count] = next() }
                bytes = Array(bytes.prefix(next() & 1 == 0 ? bytes.count : Int(next()) * 4))
            } else {
                bytes = (0..<Int(next())).map { _ in next() }
            }
            _ = CBOR.parse(bytes)
            _ = AuthenticatorData(bytes)
            _ = try? CredentialKey(cose: bytes)
            if let object = try? AttestationObject(bytes), let data = AuthenticatorData(object.authenticatorData),
                let attested = data.attested, let key = try? CredentialKey(cose: attested.key)
            {
                _ = try? object.attestation(of: attested, key: key, clientDataHash: [])
            }
            _ = try? ClientData(bytes)
        }
    }
}
