import Config
import Crypto
import JOSE
import JSON
import Runtime
import Text

extension AppleIssuer {
    init(_ section: Section, allowInsecure: Bool) {
        section.require("teamId", "it is the id of your developer team, ten letters and digits")
        section.require("keyId", "it is the id of the privateKey, ten letters and digits")
        teamID = section.value("teamId", expected: "the id of a team, ten capital letters and digits", Self.id) ?? ""
        let keyID = section.value("keyId", expected: "the id of a key, ten capital letters and digits", Self.id) ?? ""
        section.hint("clientSecret", "Gatehouse makes it from privateKey, so remove it")
        signer = Self.key(section).map { Signer(key: $0, kid: keyID, algorithm: .es256) }
        nativeClientIDs = section.values("bundleIds", expected: "a bundle id such as com.example.app", Self.bundleID)
        baseURL = section.baseURL("baseURL", default: Self.publicURL, allowInsecure: allowInsecure)
        // Apple gives ID tokens by codes alone, and takes the secret in the form alone.
        _ = section.choice("flow", default: ProviderSettings.Flow.code, among: [.code])
        _ = section.choice("clientAuth", default: ClientAuthentication.post, among: [.post])
        pinnedMetadata = section.metadata(pinning: [
            "issuer": .string(baseURL), "authorization_endpoint": .string("\(baseURL)/auth/authorize"),
            "token_endpoint": .string("\(baseURL)/auth/token"), "revocation_endpoint": .string("\(baseURL)/auth/revoke"),
            "jwks_uri": .string("\(baseURL)/auth/keys"), "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ])
    }

    private static func key(_ section: Section) -> PrivateKey? {
        let text = section.requiredSecret("privateKey").reveal()
        // The fault of an absent key, or of a file that cannot be read, is recorded.
        guard !text.isEmpty else { return nil }
        do throws(CryptoError) {
            let key = try PrivateKey(pem: text)
            if case .p256 = key.publicKey.components { return key }
            section.fault("privateKey", "is not an EC key on the curve P-256, as Apple's keys are")
        } catch .malformedKey {
            section.fault("privateKey", "is not the .p8 file that Apple gave you, which begins with -----BEGIN PRIVATE KEY-----")
        } catch {
            section.fault("privateKey", "is not an EC key on the curve P-256, as Apple's keys are")
        }
        return nil
    }

    private static func id(_ text: String) -> String? {
        let fits = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return fits && text.utf8.count == 10 ? text : nil
    }

    private static func bundleID(_ text: String) -> String? {
        let fits = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E
        }
        return fits && (1...155).contains(text.utf8.count) ? text : nil
    }
}
