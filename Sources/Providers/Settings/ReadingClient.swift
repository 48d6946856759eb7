import Config
import Crypto
import JOSE
import JSON
import Runtime
import Text

/// How this server proves itself as the provider's client: by a secret, by a key, or not at all.
extension ProviderSettings {
    /// Where a client that must have a secret sends it.
    private enum SecretPlace: String, CaseIterable {
        case post, basic

        init(_ method: ClientAuthentication) { self = method == .basic ? .basic : .post }

        var method: ClientAuthentication { self == .basic ? .basic : .post }
    }

    /// The methods of a client that cannot have a key.
    private enum KeylessMethod: String, CaseIterable {
        case basic, post, none, auto

        init(_ method: ClientAuthentication) {
            switch method {
            case .basic: self = .basic
            case .post: self = .post
            case .none: self = .none
            case .auto, .privateKeyJwt: self = .auto
            }
        }

        var method: ClientAuthentication {
            switch self {
            case .basic: .basic
            case .post: .post
            case .none: .none
            case .auto: .auto
            }
        }
    }

    mutating func readClientAuthentication(_ section: Section, _ provider: Provider) {
        guard let issuer = self.protocol.issuer else {
            clientAuthentication = section.choice("clientAuth", default: SecretPlace(provider.clientAuthentication)).method
            return
        }
        guard let rules = issuer.assertions else {
            clientAuthentication = section.choice("clientAuth", default: KeylessMethod(provider.clientAuthentication)).method
            return
        }
        readClientKey(section, rules)
        let usual = section.has("clientKey") ? ClientAuthentication.privateKeyJwt : provider.clientAuthentication
        clientAuthentication = section.choice("clientAuth", default: usual)
        if section.has("clientKey"), clientAuthentication != .privateKeyJwt {
            section.fault("clientAuth", "is \(clientAuthentication.rawValue), which has no use for clientKey; write privateKeyJwt")
        }
        if clientAuthentication == .privateKeyJwt, section.has("clientSecret") {
            section.fault("clientSecret", "has no use beside clientAuth: privateKeyJwt; remove it")
        }
    }

    /// Reads the client's key, with its certificate where the provider finds the key by that. Both are in one PEM file, as the tools that
    /// make them write them.
    private mutating func readClientKey(_ section: Section, _ rules: AssertionRules) {
        let id = section.string("clientKeyId")
        guard let pem = section.secret("clientKey") else {
            if id != nil, !section.has("clientKey") { section.fault("clientKeyId", "needs the clientKey that it names") }
            return
        }
        do throws(CryptoError) {
            let key = try PrivateKey(pem: pem.reveal())
            var naming: JSON.Object = [:]
            naming["kid"] = id.map(JSON.string)
            do throws(CryptoError) {
                naming["x5t#S256"] = try Certificate.thumbprint(pem: pem.reveal(), of: key).map { .string(Base64URL.encode($0)) }
            } catch {
                section.fault(
                    "clientKey",
                    "has a certificate that cannot be used (\(Self.reason(error))); put the certificate of this key into the file")
                return
            }
            let client = ClientKey(key: key, naming: naming)
            if rules.needsCertificate, naming["x5t#S256"] == nil {
                section.fault("clientKey", "has no certificate, by which this provider finds the key; put both into one PEM file")
            }
            if client.algorithm(of: rules.algorithms) == nil {
                section.fault("clientKey", "is not a key for \(rules.algorithms.map(\.rawValue).joined(separator: ", "))")
            }
            clientKey = client
        } catch {
            section.fault(
                "clientKey",
                "cannot be used (\(Self.reason(error))); it must be a PEM file with a private key that is not encrypted: "
                    + "openssl pkcs8 -topk8 -nocrypt makes one")
        }
    }

    private static func reason(_ error: CryptoError) -> String {
        switch error {
        case .malformedKey(let reason), .weakKey(let reason), .unsupported(let reason): reason
        default: "\(error)"
        }
    }

    func checkClient(_ section: Section) {
        if flow == .code {
            switch clientAuthentication {
            case .none:
                if !usesPKCE {
                    section.fault("pkce", "must stay on for a public client (clientAuth: none), which proves itself only by PKCE")
                }
            case .privateKeyJwt:
                if !section.has("clientKey") {
                    section.fault("clientKey", "is missing; write {file: path} of a PEM file with the private key")
                }
            case .basic, .post, .auto:
                guard !self.protocol.rules.makesClientSecret, !section.has("clientSecret"), !section.has("clientKey") else { break }
                let more = self.protocol.isOAuth2 ? ", or clientAuth: none for a public client" : ""
                section.fault("clientSecret", "is missing; write {env: NAME} or {file: path}\(more)")
            }
        }
        if flow == .code, let pinned = self.protocol.issuer?.pinnedDocument, pinned["token_endpoint"] == nil {
            section.fault("endpoints.token", "is missing; flow: code needs it")
        }
        if flow == .idToken, nonceRule == .unsupported {
            section.fault("nonce", "must not be unsupported with flow: idToken: nothing else shows that a token belongs to the sign-in")
        }
        if flow == .code, nonceRule == .unsupported, !usesPKCE, section.has("nonce") || section.has("pkce") {
            section.note("pkce", "is off, and nonce is unsupported: another person who gets hold of a code can sign in as its owner")
        }
        guard self.protocol.issuer == nil, self.protocol.isOAuth2 else { return }
        if !usesPKCE {
            section.fault("pkce", "must stay on: without ID tokens, nothing else shows that a code belongs to the sign-in")
        }
        if !hasOwnCallback {
            section.note(
                "ownCallback",
                "is false: a hostile provider of this server could get this provider's codes and sign in as the people they belong to")
        }
    }
}
