import Accounts
import Crypto
import ProjectSettings
import Projects
import Text
import Web

/// Checks the parameters of an authorization request, in a fixed order, without I/O.
///
/// Until client and redirect URI are certain, a refusal is a page and never a redirect, so that no site can use this server to send a browser
/// elsewhere (RFC 9700 §4.11). After that the relying party learns it.
struct AuthorizeParameters {
    private let form: AuthorizeForm
    private let address: Address
    /// Reads `id_token_hint`; `nil` for a token that is not ours.
    private let readHint: (UTF8Text) -> IDTokenHint?

    /// The part of a provider's address that the parameters are checked against.
    struct Address {
        let settings: ProjectSettings.OpenIDProvider
        /// As configured.
        let userFlow: String?
        let issuer: String
    }

    /// A request that passed, and the client that it came from.
    struct Accepted {
        let client: OAuthClient
        let request: AuthorizationRequest
    }

    init(_ form: AuthorizeForm, at address: Address, readHint: @escaping (UTF8Text) -> IDTokenHint?) {
        self.form = form
        self.address = address
        self.readHint = readHint
    }

    /// - Parameter isPushed: whether the relying party sent the request itself (RFC 9126).
    func accepted(isPushed: Bool = false) throws(AuthorizationRefusal) -> Accepted {
        let client = try client()
        let redirectURI = try redirectURI(of: client)
        let type = form["response_type"].flatMap(responseType)
        let reply = reply(to: redirectURI, of: type)
        do {
            return Accepted(client: client, request: try request(of: client, type, reply, isPushed: isPushed))
        } catch {
            throw .redirect(error, reply)
        }
    }

    // MARK: - On a page

    func client() throws(AuthorizationRefusal) -> OAuthClient {
        guard !form.isRepeated("client_id") else { throw .page(.invalidRequest("The parameter client_id is given more than once.")) }
        guard let id = form["client_id"] else { throw .page(.invalidRequest("The parameter client_id is missing.")) }
        guard let client = address.settings.client(id: id) else { throw .page(.invalidRequest("The client_id is not registered.")) }
        return client
    }

    private func redirectURI(of client: OAuthClient) throws(AuthorizationRefusal) -> String {
        guard !form.isRepeated("redirect_uri") else {
            throw .page(.invalidRequest("The parameter redirect_uri is given more than once."))
        }
        guard let sent = form["redirect_uri"] else {
            // OpenID Connect always requires it; OAuth 2.0 only where there is a choice (RFC 6749 §3.1.2.3).
            guard client.redirectURIs.count == 1, !requested.contains("openid") else {
                throw .page(.invalidRequest("The parameter redirect_uri is missing."))
            }
            return client.redirectURIs[0]
        }
        guard let uri = client.redirectURI(matching: sent) else {
            throw .page(.unregisteredRedirectURI)
        }
        return uri
    }

    // MARK: - By redirect

    /// The order of `response_type`'s words does not count.
    private func responseType(_ text: UTF8Text) -> AuthorizationRequest.ResponseType? {
        AuthorizationRequest.ResponseType(exactly: UTF8Text(text.split { $0 == 0x20 }.sorted().map(\.asString).joined(separator: " ")))
    }

    private func reply(to redirectURI: String, of type: AuthorizationRequest.ResponseType?) -> AuthorizationReply {
        // An unknown type that asks for tokens is answered as one: never in the query.
        let words = form["response_type"]?.split { $0 == 0x20 } ?? []
        let standard = type?.defaultMode ?? (words.contains { $0 == "token" || $0 == "id_token" } ? .fragment : .query)
        let asked = form["response_mode"].flatMap { AuthorizationRequest.ResponseMode(exactly: $0) }
        let fitting = asked.flatMap { isFitting($0, redirectURI, standard) ? $0 : nil }
        return AuthorizationReply(
            redirectURI: redirectURI, mode: fitting ?? standard, state: form["state"]?.asString, issuer: address.issuer)
    }

    /// Tokens never stand in a query, and no browser posts a form to an app.
    private func isFitting(
        _ mode: AuthorizationRequest.ResponseMode, _ redirectURI: String, _ standard: AuthorizationRequest.ResponseMode
    ) -> Bool {
        switch mode {
        case .query: standard == .query
        case .fragment: true
        case .formPost: UTF8Text(redirectURI).asciiLowercased.isWebAddress
        }
    }

    private func request(
        of client: OAuthClient, _ type: AuthorizationRequest.ResponseType?, _ reply: AuthorizationReply, isPushed: Bool
    ) throws(Failure) -> AuthorizationRequest {
        if let name = form.repeated { throw .invalidRequest("The parameter \(name) is given more than once.") }
        guard reply.state.map({ $0.utf8.count <= 4096 }) ?? true else { throw .invalidRequest("The state is longer than 4096 bytes.") }
        guard form["response_type"] != nil else { throw .invalidRequest("The parameter response_type is missing.") }
        guard let type, type == .code else { throw .unsupportedResponseType }
        if let mode = form["response_mode"], mode != reply.mode.rawValue {
            throw .invalidRequest("The response_mode is unknown, or not possible for this response_type and redirect_uri.")
        }
        if form["request"] != nil { throw .requestNotSupported }
        if form["request_uri"] != nil {
            throw isPushed ? .invalidRequest("A pushed request must not have a request_uri.") : .requestURINotSupported
        }
        if client.requiresPushedRequests, !isPushed { throw .invalidRequest("This client must push its requests (RFC 9126).") }
        var request = AuthorizationRequest(
            clientID: client.id, redirectURI: reply.redirectURI, scopes: try scopes(of: client), issuer: address.issuer)
        request.omitsRedirectURI = form["redirect_uri"] == nil ? true : nil
        request.responseType = type
        request.responseMode = reply.mode
        request.state = reply.state
        request.codeChallenge = try codeChallenge(of: client)
        request.nonce = try nonce()
        request.prompts = try prompts()
        request.maxAge = try maxAge()
        let (claims, subject, acr) = try RequestedClaims.reading(form["claims"])
        request.secondFactor = try .reading(form["acr_values"], acr)
        request.claims = claims?.limited(to: client.scopes)
        // The person who is asked for consent sees what the claims open, and the token names it.
        let opened = request.claims?.scopes ?? []
        request.scopes += client.scopes.filter { opened.contains($0) && !request.scopes.contains($0) }
        request.subject = try self.subject(of: client, named: subject)
        request.userFlow = address.userFlow
        request.wantsClientInfo = form["client_info"] == "1"
        request.loginHint = hint("login_hint")
        request.domainHint = hint("domain_hint")
        request.uiLocales = hint("ui_locales")
        return request
    }

    private var requested: [UTF8Text] { form["scope"]?.split { $0 == 0x20 } ?? [] }

    /// Those that the client may ask for; the others are ignored (OpenID Connect Core §3.1.2.1). Clients of Azure AD B2C ask for their own id.
    private func scopes(of client: OAuthClient) throws(Failure) -> [String] {
        var scopes: [String] = []
        for scope in client.scopes + client.apiScopes + [client.id]
        where requested.contains(UTF8Text(scope)) && !scopes.contains(scope) {
            scopes.append(scope)
        }
        guard !scopes.isEmpty else { throw .invalidScope }
        return scopes
    }

    /// <https://www.rfc-editor.org/rfc/rfc7636#section-4.4.1>; only S256, since `plain` protects nothing against a reader of the request.
    private func codeChallenge(of client: OAuthClient) throws(Failure) -> String? {
        let method = form["code_challenge_method"]
        guard let challenge = form["code_challenge"] else {
            if client.requiresPKCE || method != nil { throw .invalidRequest("PKCE: the parameter code_challenge is missing.") }
            return nil
        }
        guard method == "S256" else { throw .invalidRequest("PKCE: the code_challenge_method must be S256.") }
        guard challenge.utf8.count == 43, Base64URL.decodeStrict(challenge.asString) != nil else {
            throw .invalidRequest("PKCE: the code_challenge must be 43 characters of base64url.")
        }
        return challenge.asString
    }

    private func nonce() throws(Failure) -> String? {
        guard let nonce = form["nonce"] else { return nil }
        guard nonce.utf8.count <= 1024 else { throw .invalidRequest("The nonce is longer than 1024 bytes.") }
        return nonce.asString
    }

    private func prompts() throws(Failure) -> [AuthorizationRequest.Prompt] {
        let words = form["prompt"]?.split { $0 == 0x20 } ?? []
        let prompts = words.compactMap { AuthorizationRequest.Prompt(exactly: $0) }
        guard prompts.count == words.count else { throw .invalidRequest("The prompt has an unknown value.") }
        if prompts.contains(.none), prompts.count > 1 { throw .invalidRequest("The prompt none must stand alone.") }
        return prompts
    }

    private func maxAge() throws(Failure) -> Int? {
        guard let text = form["max_age"] else { return nil }
        guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text.asString) else {
            throw .invalidRequest("The max_age must be a number of seconds.")
        }
        return seconds
    }

    /// The account that must answer: that of `id_token_hint` or of `claims`.
    private func subject(of client: OAuthClient, named subject: UTF8Text?) throws(Failure) -> String? {
        guard let token = form["id_token_hint"] else { return subject?.asString }
        guard let hint = readHint(token), hint.audience == client.id else {
            throw .invalidRequest("The id_token_hint is not an ID token that this provider gave to this client.")
        }
        if let subject, subject != hint.subject {
            throw .invalidRequest("The id_token_hint and the parameter claims name different accounts.")
        }
        return hint.subject.asString
    }

    /// A text for the pages alone. One that is too long cannot help there.
    private func hint(_ name: UTF8Text) -> String? { form[name].flatMap { $0.utf8.count <= 320 && !$0.hasNUL ? $0.asString : nil } }
}

extension UTF8Text {
    /// Whether browsers open the address themselves, and do not give it to an app.
    var isWebAddress: Bool { hasPrefix("https:") || hasPrefix("http:") }
}
