import Config
import Crypto
import JOSE
import JSON
import Runtime
import Text

extension Provider {
    /// Sign in with Apple, by OpenID Connect.
    ///
    /// Differs from the standard: the client secret is a JWT of our own (`clientSecret`); the answer is posted, since the person's name is
    /// in it, once and not signed (`AppleName`); truth values may be texts; the issuer has had two names (`AppleIssuer`).
    /// <https://developer.apple.com/documentation/signinwithapplerestapi>
    static let apple = Provider(
        id: "apple.com", name: "Apple", scopes: ["name", "email"], clientAuthentication: .post, hasOwnCallback: true,
        // https://developer.apple.com/design/human-interface-guidelines/sign-in-with-apple
        button: ButtonStyle(mark: mark, light: .init("#ffffff", on: "#000000"), dark: .init("#000000", on: "#ffffff")),
        entryKeys: [
            .required("clientId"), .optional("bundleIds"), .required("teamId"), .required("keyId"),
            .secret("privateKey", variable: "PRIVATE_KEY"),
        ],
        protocol: { .openIDConnect(AppleIssuer($0, allowInsecure: $1)) })

    /// The apple, in one colour.
    private static let mark = ProviderMark(
        #"""
        <path fill="currentColor" d="M12.2 6.9C13.1 6.9 14.5 5.9 16.2 5.9C17.6 5.9 19.2 6.6 20.2 8
        C18.4 9.1 17.5 10.6 17.5 12.3C17.5 14.4 18.7 16.1 20.6 16.9C19.7 19.5 17.9 22.7 15.9 22.7C14.7 22.7 14 21.9 12.4 21.9
        C10.8 21.9 10.1 22.7 8.9 22.7C6.5 22.7 3.5 17.8 3.5 13C3.5 8.5 6.1 5.9 8.8 5.9C10.3 5.9 11.4 6.9 12.2 6.9Z
        M12 5.9C11.9 3.4 13.9 1.1 16.2 0.9C16.4 3.5 14.3 5.9 12 5.9Z"/>
        """#)
}

/// The rules of Apple. A person is the `sub`, which is the same in all apps of the developer team.
///
/// Endpoints and issuers are pinned. For some days of June 2025, the discovery document named another issuer than ID tokens did, so both
/// names are accepted, whatever the document says now. Keys always come from the pinned address.
struct AppleIssuer: Issuer {
    let baseURL: String
    let teamID: String
    /// Signs client secrets; `nil` for an entry with a fault.
    let signer: Signer?
    /// The native apps. Their ID tokens and codes are issued to the bundle id, and not to the `clientId` of the web.
    let nativeClientIDs: [String]
    let pinnedMetadata: ProviderMetadata?

    static let publicURL = "https://appleid.apple.com"
    private static let names: Set<UTF8Text> = ["https://appleid.apple.com", "https://account.apple.com"]

    var storedIssuer: String { baseURL }
    var responseMode: ResponseMode { .formPost }
    var documentURL: String { "\(baseURL)/.well-known/openid-configuration" }

    func answers(as issuer: UTF8Text, _: ProviderMetadata) -> Bool { isApple(issuer) }

    func admits(_ claims: JSON) throws(ProviderError) { try checkName(claims, isApple) }

    private func isApple(_ name: UTF8Text) -> Bool { publishes(name) || Self.names.contains(name) }

    /// A nonce is required, posted and in the token, unless Apple says that the person's device cannot carry one.
    /// <https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple>
    func expected(_ nonce: IDTokenChecks.ExpectedNonce, in claims: JSON) -> IDTokenChecks.ExpectedNonce {
        guard case .posted(let raw, _) = nonce, claims.present("nonce") == nil else { return nonce }
        let isUnsupported = claims["nonce_supported"] == false || claims["nonce_supported"] == "false"
        return isUnsupported ? .posted(nil, .sha256) : .posted(raw, .required)
    }
}

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
        _ = section.choice("clientAuth", default: UpstreamClientAuthentication.post, among: [.post])
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
