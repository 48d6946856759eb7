import Crypto
import JOSE
import JSON
import Runtime
import Text

/// The rules of a provider for the signed statements by which a client proves itself at the token endpoint instead of sending a secret
/// (`private_key_jwt`). <https://www.rfc-editor.org/rfc/rfc7523#section-2.2>
struct AssertionRules: Sendable {
    /// Who is named as the reader of a statement. The issuer is right by today's advice: a token endpoint's address comes from the network,
    /// and a hostile provider could name another's (CVE-2025-27370). Some providers know only the older form.
    enum Audience: String, Sendable, CaseIterable {
        case issuer, tokenEndpoint
    }

    var audience = Audience.issuer
    /// The algorithms where the provider lists none, the best first.
    var algorithms: [Algorithm] = [.rs256, .es256, .edDSA, .ps256]
    /// Whether the provider finds the key by its certificate.
    var needsCertificate = false
}

/// The key of this server's client at one provider.
struct ClientKey: Sendable {
    let key: PrivateKey
    /// The members of a header by which the provider finds the public key.
    let naming: JSON.Object

    /// The first of `algorithms` that the key can sign with.
    func algorithm(of algorithms: [Algorithm]) -> Algorithm? { algorithms.first { key.publicKey.components.fits($0.scheme) } }

    /// The life of an assertion. It is made for one request.
    static let lifetime: Duration = .seconds(300)

    /// A new assertion.
    ///
    /// - Parameters:
    ///   - audience: its only reader.
    ///   - listed: the algorithms that the provider lists; `nil` when it lists none.
    func assertion(
        of clientID: String, for audience: String, _ rules: AssertionRules, listed: [UTF8Text]?, at now: Instant
    ) throws(ProviderError) -> String {
        let algorithms = listed.map { listed in Algorithm.allCases.filter { listed.contains(UTF8Text($0.rawValue)) } } ?? rules.algorithms
        guard let algorithm = algorithm(of: algorithms) else {
            throw .unfit("The token endpoint takes no signature that the clientKey can make.")
        }
        let claims: JSON = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience), "jti": .string(Random.token()),
            "iat": .integer(now.seconds), "exp": .integer(now.seconds + Self.lifetime.wholeSeconds),
        ]
        do {
            return try Signer(key: key, naming: naming, algorithm: algorithm).sign(claims: claims.bytes())
        } catch {
            throw .unfit("The clientKey does not sign: \(error).")
        }
    }
}
