import Curl
import HTTP
import JOSE
import Runtime
import Text

/// Requests to a token endpoint. <https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3>
extension ConfiguredProvider {
    /// Redeems a code once: a request that may have arrived is never repeated.
    ///
    /// - Parameters:
    ///   - redirectURI: `nil` for a code that a native app got, and so the code verifier.
    ///   - clientID: the client that the code was issued to, when that is not the entry's.
    ///   - metadata: the issuer's; `nil` for a provider without.
    func exchange(
        _ code: UTF8Text, _ redirectURI: String?, _ codeVerifier: String?, of clientID: String? = nil, at endpoint: String,
        _ metadata: ProviderMetadata?
    ) async throws(ProviderError) -> TokenResponse {
        var form: Form = ["grant_type": "authorization_code", "code": code]
        if let redirectURI { form.add("redirect_uri", UTF8Text(redirectURI)) }
        if let codeVerifier, settings.usesPKCE { form.add("code_verifier", UTF8Text(codeVerifier)) }
        return try await tokens(for: form, of: clientID, at: endpoint, metadata)
    }

    /// The answer to a request for tokens.
    func tokens(
        for grant: Form, of clientID: String? = nil, at endpoint: String, _ metadata: ProviderMetadata?
    ) async throws(ProviderError) -> TokenResponse {
        let answer = try await answer(to: grant, of: clientID ?? settings.clientID, at: endpoint, "token endpoint", metadata)
        return try TokenResponse(answer, to: grant["grant_type"] == "refresh_token" ? .refreshToken : .code, rules)
    }

    /// The answer of an endpoint to a form, in which this server proves itself as a client.
    ///
    /// - Parameter name: of the endpoint, for the log.
    func answer(
        to form: Form, of clientID: String, at endpoint: String, _ name: String, _ metadata: ProviderMetadata?
    ) async throws(ProviderError) -> OutboundResponse {
        var form = form
        var headers: Headers = ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"]
        try prove(clientID, to: endpoint, metadata, &form, &headers)
        do {
            return try await upstream.send(OutboundRequest(.post, endpoint, headers: headers, body: Array(form.encoded().utf8)))
        } catch {
            throw .unanswered("The \(name) \(endpoint)", error)
        }
    }

    /// The only reader of an assertion that is sent to `endpoint`. Where that is to be the token endpoint, no other server gets one: the
    /// discovery document could name the token endpoint of another provider, and an endpoint of its own beside it.
    private func audience(of rules: AssertionRules, _ endpoint: String, _ metadata: ProviderMetadata) throws(ProviderError) -> String {
        guard rules.audience == .tokenEndpoint else { return metadata.issuer.asString }
        guard let token = metadata.token, token.origin == URI.parse(endpoint)?.origin else {
            throw .unfit("The endpoint \(endpoint) is on another server than the token endpoint, which alone may read assertions.")
        }
        return "\(token)"
    }

    private func prove(
        _ clientID: String, to endpoint: String, _ metadata: ProviderMetadata?, _ form: inout Form, _ headers: inout Headers
    ) throws(ProviderError) {
        if let key = settings.clientKey, let rules = settings.protocol.issuer?.assertions, let metadata {
            let audience = try audience(of: rules, endpoint, metadata)
            let assertion = try key.assertion(
                of: clientID, for: audience, rules, listed: metadata.assertionAlgorithms, at: clock.now())
            form.add("client_id", UTF8Text(clientID))
            form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.add("client_assertion", UTF8Text(assertion))
            return
        }
        let secret = try self.rules.clientSecret(settings.clientSecret, of: clientID, at: clock.now())
        settings.clientAuthentication.resolved(metadata?.clientAuthentication, hasSecret: secret != nil)
            .add(id: clientID, secret: secret, form: &form, headers: &headers)
    }
}
