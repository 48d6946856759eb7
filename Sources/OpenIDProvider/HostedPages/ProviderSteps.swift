import Accounts
import Brokerage
import Crypto
import HTTP
import Identity
import Logging
import Pages
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// The way to a provider and back, as a flow of a plain browser app: this page is the app, and the request's cookie its secret.
extension HostedVisit {
    static let returnRoute = route + "/return"

    /// Sends the browser to a provider.
    ///
    /// - Parameter isHinted: whether the client named the provider, so that the person pressed no button.
    func start(_ id: String, from page: HostedPage, isHinted: Bool = false) async throws -> Response {
        guard let button = offer.providers.first(where: { $0.id.isExactly(id) }) else {
            throw BrokerageError.notEnabled(UTF8Text(id))
        }
        let broker = context.broker(of: project)
        try await broker.charge(.startSignIn, from: clientInfo)
        do {
            let provider = try broker.provider(UTF8Text(button.id))
            let start = SignInStart(
                providerID: provider.id, kind: .web, sessionHash: SessionBinding.hash(atRedemption: cookie),
                redirectURI: providerReturn(provider), returnURL: returnURL(isHinted: isHinted), appState: provider.id,
                customParameters: provider.permitted(hints))
            let begun = try await broker.begin(start, at: provider, scopes: [])
            var response = RedirectResponse.to(begun.url, status: 303)
            response.setCookies(FlowCookie.set(for: begun.started, context.request, site))
            return response
        } catch {
            return try refused(error, at: button, page)
        }
    }

    /// The address of the page that a provider's answer finally comes to; it stays at the name of this server that the browser uses.
    ///
    /// It says whether the person pressed a button. No other address redeems the flow, so that no other site can change that.
    private func returnURL(isHinted: Bool) -> String {
        (site.ownName(context.request) ?? site.publicURL) + IssuerPaths.signInReturn(settings.addressName) + "?request="
            + authorization.id.text
            + (isHinted ? "&hinted=1" : "")
    }

    /// The redirect URI: that of the project's apps, unless their pages are at another host, where the browser would not bring the cookie.
    private func providerReturn(_ provider: ProviderSettings) -> String {
        guard settings.redirect.publicURL != nil else { return project.handlerURL(of: provider, for: context.request, of: site) }
        return site.publicURL + project.handlerPath(of: provider)
    }

    /// The client's parameters that go on to the provider: a fresh sign-in, a choice of accounts, an address.
    private var hints: [UTF8Text: UTF8Text] {
        var hints: [UTF8Text: UTF8Text] = [:]
        if authorization.request.asksAgain { hints["prompt"] = "login" }
        if authorization.request.prompts.contains(.selectAccount) { hints["prompt"] = "select_account" }
        if let hint = authorization.request.loginHint { hints["login_hint"] = UTF8Text(hint) }
        return hints
    }

    /// Goes back to the page with a word about why the provider did not help. Throws `error` when it is a fault inside this server.
    private func refused(_ error: BrokerageError, at button: ProviderButton, _ page: HostedPage = .signIn) throws -> Response {
        let failure = Failure(describing: error)
        guard failure.kind != .internal, failure.kind != .unavailable else { throw error }
        context.log.notice(
            "provider refused",
            metadata: ["project": "\(settings.id)", "provider": "\(button.id)", "reason": "\(LogDetail.of(error))"])
        return refused(failure.oauthError, at: button, page)
    }

    /// - Parameter error: as in the answer of our handler.
    fileprivate func refused(_ error: String, at button: ProviderButton, _ page: HostedPage = .signIn) -> Response {
        let notice: PageNotice =
            switch error {
            case "access_denied": .declined
            case "temporarily_unavailable": .providerDown
            default: .providerFailed
            }
        return go(
            to: page == .signIn && !offer.signsIn ? .signUp : page,
            [(name: "note", value: notice.rawValue), (name: "provider", value: button.id)])
    }

    /// Signs in with what the provider proved.
    fileprivate func finish(_ query: Form, at button: ProviderButton) async throws -> Response {
        guard let flowID = query["flow"].flatMap(FlowID.init), let code = query["code"] else { return go(to: .signIn) }
        let broker = context.broker(of: project)
        try await broker.charge(.federatedSignIn, from: clientInfo)
        let isHinted = query["hinted"] == "1"
        let proven: ProvenSignIn
        do {
            proven = try await broker.redeem(
                code, of: flowID, sessionID: UTF8Text(cookie), page: UTF8Text(returnURL(isHinted: isHinted)), isHandler: false)
        } catch {
            // Mostly the person went back, or loaded the page again: the code was used.
            if case .unknownFlow = error { return go(to: .signIn) }
            return try refused(error, at: button)
        }
        let signIn: FederatedSignIn
        do {
            signIn = try await broker.signIn(
                with: proven, .signIn(mayCreate: offer.makesAccounts), language: language, from: clientInfo)
        } catch {
            guard case .account(let refusal) = error else { return try refused(error, at: button) }
            guard let fault = FormFault(refusal, on: .signIn) else { throw error }
            return show(offer.signsIn ? .signIn : .signUp, fault)
        }
        switch signIn {
        case .signedIn(_, let outcome, let isNewUser, _):
            return try await begin(
                outcome, goingTo: isNewUser && !(flow?.collect ?? []).isEmpty ? .profile : nil, byForm: !isHinted)
        case .needsConfirmation(let account):
            return confirmFirst(account, button, isAddressProven: proven.result.identity.emailVerified)
        }
    }

    /// The page for a person whose address another account has: they sign in to it as before. Any person can have an identity with a
    /// stranger's address, so only one who has proven the address learns how the account signs in.
    private func confirmFirst(_ account: Account, _ button: ProviderButton, isAddressProven: Bool) -> Response {
        guard isAddressProven || !settings.emailEnumerationProtection else {
            return show(.signIn, FormFault(field: nil, word: "confirmFirstUnnamed", status: 409))
        }
        let others = account.identities.compactMap { project.name(ofProvider: $0.providerID) }.joined(separator: ", ")
        let word = !account.hasEmailSignIn ? "confirmByProvider" : others.isEmpty ? "confirmByPassword" : "confirmByBoth"
        let values: [String: TemplateValue] = [
            "email": .text(account.email), "provider": .text(button.name), "methods": .text(others),
        ]
        return show(
            .signIn, FormFault(field: nil, word: word, values: values, status: 409),
            Form([(name: "email", value: account.email ?? "")]))
    }
}

/// `GET /{project}/sign-in/return`: the address at which the browser arrives from a provider, with our one-time code or with an error.
struct SignInReturn: RawEndpoint {
    static let route = Route(.get, HostedVisit.returnRoute, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: ["request", "page", "state", "error", "flow", "code", "hinted"], answers: [.page, .redirect(302), .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        try query.once()
        return try await HostedVisit.answering(request, query, context) { visit in
            guard let id = query["state"], let button = visit.offer.providers.first(where: { id == $0.id }) else {
                return visit.go(to: .signIn)
            }
            if let error = query["error"] { return visit.refused(error.asString, at: button) }
            return try await visit.finish(query, at: button)
        }
    }
}
