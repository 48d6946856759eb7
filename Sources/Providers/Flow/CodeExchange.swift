import Curl
import HTTP
import Runtime
import Text

extension ConfiguredProvider {
    /// Redeems a code once: a request that may have arrived is never repeated.
    ///
    /// - Parameter methods: the ways to prove ourselves that the provider lists; `nil` when it lists none.
    func exchange(
        _ code: UTF8Text, _ redirectURI: String, _ codeVerifier: String, at endpoint: String, methods: [UTF8Text]?
    ) async throws(ProviderError) -> TokenResponse {
        var form: Form = ["grant_type": "authorization_code", "code": code, "redirect_uri": UTF8Text(redirectURI)]
        if settings.usesPKCE { form.add("code_verifier", UTF8Text(codeVerifier)) }
        var headers: Headers = ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"]
        let secret = try rules.clientSecret(settings.clientSecret, of: settings.clientID, at: clock.now())
        settings.clientAuthentication.resolved(methods, hasSecret: secret != nil)
            .add(id: settings.clientID, secret: secret, form: &form, headers: &headers)
        let request = OutboundRequest(.post, endpoint, headers: headers, body: Array(form.encoded().utf8))
        let response: OutboundResponse
        do {
            response = try await upstream.send(request)
        } catch {
            let detail = "The token endpoint \(endpoint) \(OutboundText.reason(error))."
            throw error.isOutage ? .unavailable(detail: detail) : .unfit(detail)
        }
        return try TokenResponse(response, rules)
    }
}
