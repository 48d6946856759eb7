import Crypto
import Curl
import JSON
import TestKit
import Testing

@testable import Providers
import Text

/// The keys of an entry of Apple, and what `gatehouse check --live` finds of it.
@Suite struct AppleSettingsTests {
    private static let p256 = (try? PrivateKey.generate(.p256).pem) ?? ""

    private func faults(_ yaml: String, key: String = p256) throws -> [String] {
        try read("apple.com", yaml, environment: ["KEY": key]).1.map { $0.split(separator: " ", maxSplits: 1).dropFirst().joined() }
    }

    @Test func `an entry of four lines is enough`() throws {
        let settings = try FakeApple().provider("").settings
        #expect(settings.name == "Apple" && settings.scopes == ["name", "email"] && settings.answersByPost && settings.usesPKCE)
        #expect(settings.clientAuthentication == .post && settings.clientSecret == nil && settings.audiences == ["client-1"])
        #expect(settings.storedIssuer == "https://appleid.apple.com" && settings.hasOwnCallback)
    }

    @Test func `every missing key is named`() throws {
        #expect(
            try Set(faults("name: Apple")) == [
                "providers.apple.com.teamId: is missing; it is the id of your developer team, ten letters and digits",
                "providers.apple.com.keyId: is missing; it is the id of the privateKey, ten letters and digits",
                "providers.apple.com.privateKey: is missing; write {env: NAME} or {file: path}",
                "providers.apple.com.clientId: is missing",
            ])
    }

    @Test(arguments: [
        ("teamId: A1B2C3D4E5", "teamId: a1b2c3d4e5", "teamId: expected the id of a team, ten capital letters and digits"),
        ("keyId: K1K2K3K4K5", "keyId: K1K2K3K4K56", "keyId: expected the id of a key, ten capital letters and digits"),
        (
            "privateKey: {env: KEY}", "privateKey: key.p8",
            "privateKey: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}"
        ),
        ("privateKey: {env: KEY}", "privateKey: {env: NO}", "privateKey: the environment variable NO is not set"),
        ("keyId", "clientSecret: {env: SECRET}\nkeyId", "clientSecret: unknown key; Gatehouse makes it from privateKey"),
        ("keyId", "bundleIds: [com.example.app, com example]\nkeyId", "bundleIds[1]: expected a bundle id such as com.example.app"),
        ("keyId", "flow: idToken\nkeyId", "flow: expected one of: code"),
        ("keyId", "clientAuth: basic\nkeyId", "clientAuth: expected one of: post"),
        ("keyId", "baseURL: http://apple.example\nkeyId", "baseURL: expected an https URL"),
        ("keyId", "emailTrust: never\nkeyId", "emailTrust: unknown key"),
    ])
    func `a mistake is a fault that says what to write`(_ part: String, _ wrong: String, _ fault: String) throws {
        let found = try faults(FakeApple.entry.replacing(part, with: wrong, maxReplacements: 1))
        #expect(found.count == 1 && found[0].hasPrefix("providers.apple.com.\(fault)"), "\(found)")
    }

    @Test func `a key that Apple did not give is a fault`() throws {
        let notAFile =
            "providers.apple.com.privateKey: is not the .p8 file that Apple gave you, which begins with -----BEGIN PRIVATE KEY-----"
        let notP256 = "providers.apple.com.privateKey: is not an EC key on the curve P-256, as Apple's keys are"
        #expect(try faults(FakeApple.entry, key: "s3cret") == [notAFile])
        #expect(try faults(FakeApple.entry, key: try PrivateKey.generate(.p256).publicKey.pem) == [notAFile])
        #expect(try faults(FakeApple.entry, key: Self.p256.replacing("PRIVATE KEY", with: "EC PRIVATE KEY")) == [notAFile])
        #expect(try faults(FakeApple.entry, key: try PrivateKey.generate(.ed25519).pem) == [notP256])
        #expect(try faults(FakeApple.entry, key: try FakeKey.rsa().key.pem) == [notP256])
        // secp384r1, made by OpenSSL for this test.
        let p384 = """
            -----BEGIN PRIVATE KEY-----
            MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBsunS8aHVIZaIol7Fy
            mmdyK7r7EntbpTDT2idI3HbZPw5C4vUBrhgCu+KaK96kB3ahZANiAARc5vMPxgd4
            5Qi+bQbETvGbf3IhN2pHavo8nttm0uGucVuKU6krMI0s6GY+3NuFk0UrXd6p1pM5
            GFN5ngdURuUY/r+ZTnyKacOqPKrc8dujKNGipPkgZl/AFHYk3ZP2fCk=
            -----END PRIVATE KEY-----
            """
        #expect(try faults(FakeApple.entry, key: p384) == [notP256])
    }

    private func findings(_ status: Int, _ answer: JSON) async throws -> [String] {
        let apple = try FakeApple()
        apple.upstream.answer(FakeApple.tokenURL, answer, status: status)
        let findings = try await apple.provider().diagnose()
        #expect(apple.upstream.requests.map(\.url) == ["https://appleid.apple.com/auth/keys", FakeApple.tokenURL])
        return findings
    }

    @Test func `a secret that Apple accepts has nothing to mend, and one that it refuses is named`() async throws {
        #expect(try await findings(400, ["error": "invalid_grant"]) == [])
        #expect(
            try await findings(400, ["error": "invalid_client"]) == [
                "The provider does not accept clientId and the keys that its secret is made of. \(FakeApple.tokenURL) says: token endpoint: "
                    + "status 400, error invalid_client."
            ])
        #expect(try await findings(200, ["access_token": "a"]).first?.contains("redeems a code that does not exist") == true)
    }
}
