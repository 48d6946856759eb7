import Curl
import HTTP
import JOSE
import JSON
import Text

/// The parts of an issuer's discovery document that a sign-in needs. <https://openid.net/specs/openid-connect-discovery-1_0.html>
struct ProviderMetadata: Sendable {
    let issuer: UTF8Text
    let authorization: URI
    /// Absent when an issuer only has the implicit flow.
    let token: URI?
    let userinfo: URI?
    /// Where a token is revoked (RFC 7009).
    let revocation: URI?
    let keys: URI
    /// Signature algorithms of ID tokens; `nil` when the document leaves out this required field.
    let algorithms: [UTF8Text]?
    let clientAuthentication: [UTF8Text]?
    /// Signature algorithms of a client's assertions.
    let assertionAlgorithms: [UTF8Text]?
    let challengeMethods: [UTF8Text]?
    let responseModes: [UTF8Text]?
    /// Whether every answer by redirect contains `iss` (RFC 9207).
    let promisesIssuer: Bool

    /// Throws a sentence for the operator.
    init(_ json: JSON) throws(MetadataFault) {
        guard let issuer = json["issuer"]?.string, !issuer.isEmpty else { throw MetadataFault("has no issuer") }
        self.issuer = issuer
        guard let authorization = try Self.endpoint(json, "authorization_endpoint") else {
            throw MetadataFault("has no authorization_endpoint")
        }
        guard let keys = try Self.endpoint(json, "jwks_uri") else { throw MetadataFault("has no jwks_uri") }
        self.authorization = authorization
        self.keys = keys
        token = try Self.endpoint(json, "token_endpoint")
        userinfo = try Self.endpoint(json, "userinfo_endpoint")
        // Some documents have the name from before RFC 8414.
        revocation = try Self.endpoint(json, json["revocation_endpoint"] == nil ? "token_revocation_endpoint" : "revocation_endpoint")
        algorithms = Self.list(json, "id_token_signing_alg_values_supported")
        clientAuthentication = Self.list(json, "token_endpoint_auth_methods_supported")
        assertionAlgorithms = Self.list(json, "token_endpoint_auth_signing_alg_values_supported")
        challengeMethods = Self.list(json, "code_challenge_methods_supported")
        responseModes = Self.list(json, "response_modes_supported")
        promisesIssuer = json["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    var endpoints: [URI] { [authorization, keys] + [token, userinfo, revocation].compactMap(\.self) }

    /// The algorithms that both sides support: those of the entry, or else those in the issuer's list that we can verify.
    func commonAlgorithms(_ wanted: Set<Algorithm>?) -> Set<Algorithm> {
        if let wanted { return wanted }
        guard let algorithms else { return [.rs256] }
        return Set(algorithms.compactMap(Algorithm.init(exactly:)))
    }

    private static func endpoint(_ json: JSON, _ name: UTF8Text) throws(MetadataFault) -> URI? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.string, let uri = URI.parse(text), uri.fragment == nil else {
            throw MetadataFault("names a \(name) that is not a URL")
        }
        return uri
    }

    private static func list(_ json: JSON, _ name: UTF8Text) -> [UTF8Text]? { json[name]?.array?.compactMap(\.string) }
}

/// The fault of a discovery document, as a text to stand after its URL.
struct MetadataFault: Error, Equatable {
    let text: String
    init(_ text: String) { self.text = text }
}
