import Config
import Crypto
import JOSE
import JSON
import Runtime
import Text

/// How this server proves itself as the provider's client: by a secret, by a key, or not at all.
extension ProviderSettings {
    mutating func readClientAuthentication(_ section: Section, _ provider: Provider) {
        guard let rules = self.protocol.issuer?.assertions else {
            // By OAuth 2.0 alone, a client must have a secret.
            let methods: [UpstreamClientAuthentication] = self.protocol.issuer == nil ? [.post, .basic] : [.basic, .post, .none, .auto]
            clientAuthentication = section.choice("clientAuth", default: provider.clientAuthentication, among: methods)
            return
        }
        readClientKey(section, rules)
        let usual = section.has("clientKey") ? UpstreamClientAuthentication.privateKeyJwt : provider.clientAuthentication
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
            readExpiry(ofCertificate: pem.reveal(), section, now: Clock.system.now())
            let client = ClientKey(key: key, naming: naming)
            if rules.needsCertificate, naming["x5t#S256"] == nil {
                section.fault("clientKey", "has no certificate, by which this provider finds the key; put both into one PEM file")
            }
            if client.algorithm(of: rules.algorithms) == nil {
                let needed = rules.algorithms.allSatisfy { $0 == .rs256 || $0 == .ps256 } ? "; it needs an RSA key" : ""
                section.fault("clientKey", "is not a key for \(rules.algorithms.map(\.rawValue).joined(separator: ", "))\(needed)")
            }
            clientKey = client
        } catch .weakKey(let reason), .unsupported(let reason) {
            section.fault(
                "clientKey",
                "is of a kind or size that is not taken (\(reason)); make an RSA key: "
                    + "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048")
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
        if flow == .code, (self.protocol.issuer as? OpenIDConnect)?.lacksTokenEndpoint == true {
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
