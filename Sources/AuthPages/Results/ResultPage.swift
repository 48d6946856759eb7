import Accounts
import Brokerage
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// The page that ends a flow of an SDK, and brings its result to the app.
///
/// For a popup, it sends the result to the SDK's iframe in the page that opened the popup. For a redirect, it stores the result in the tab
/// and behind a cookie, and goes back to the app's page. For a native app, it opens the app's own address and also shows a button, since
/// browsers may refuse to open an app without a tap.
struct ResultPage {
    let flow: SignInFlow
    let sdkRequest: SDKRequest
    /// The flow's own cookie, which the browser sent.
    let cookie: String
    /// The app's page, for a flow of a browser.
    private let page: URI?
    let project: Project
    let request: Request
    let site: Site

    enum Outcome {
        /// With the one-time code that redeems the flow.
        case success(code: String)
        /// `code` begins with `auth/`.
        case failure(code: String, message: String)
    }

    /// `nil` for a flow that no SDK started.
    init?(_ flow: SignInFlow, cookie: String, _ project: Project, _ context: Context) {
        guard let sdkRequest = flow.sdkRequest else { return nil }
        self.flow = flow
        self.sdkRequest = sdkRequest
        self.cookie = cookie
        page = flow.returnURL.flatMap { URI.ofPage(UTF8Text($0)) }
        self.project = project
        request = context.request
        site = context.services.site
    }

    /// The answer that the SDK's iframe may fetch once; `nil` when it fetches none, as for a native app.
    func event(_ outcome: Outcome) -> [UInt8]? {
        guard flow.kind.isFetched else { return nil }
        var answer: JSON.Object = ["event": authEvent(outcome).json]
        answer["origin"] = page.map { .string($0.origin) }
        return JSON.object(answer).bytes()
    }

    func response(_ outcome: Outcome) -> Response {
        switch flow.kind {
        case .popup: popup(outcome)
        case .redirect: redirect(outcome)
        case .ios: native(nativeLink(outcome).ios(scheme: sdkRequest.app ?? ""), outcome)
        // Flows of the kinds `web` and `client` never get here, since no SDK starts them.
        case .android, .web, .client: native(nativeLink(outcome).android(package: sdkRequest.app ?? ""), outcome)
        }
    }

    /// The address that redeems the result. Nothing in its values needs decoding, so that no reader can change it.
    private func link(_ code: String) -> String {
        "\(project.pagesURL)/__/auth/handler?providerId=\(PercentEncoding.encode(flow.providerID))&flow=\(FlowID(bytes: flow.id).text)&code=\(code)"
    }

    private func authEvent(_ outcome: Outcome) -> AuthEvent {
        switch outcome {
        case .success(let code):
            AuthEvent(sdkRequest: sdkRequest, tenantID: project.settings.tenant?.id, outcome: .success(link: link(code), sessionID: cookie))
        case .failure(let code, let message):
            AuthEvent(sdkRequest: sdkRequest, tenantID: project.settings.tenant?.id, outcome: .failure(code: code, message: message))
        }
    }

    private func nativeLink(_ outcome: Outcome) -> NativeLink {
        switch outcome {
        case .success(let code): NativeLink(pagesURL: project.pagesURL, sdkRequest: sdkRequest, outcome: .success(link: link(code)))
        case .failure(let code, let message):
            NativeLink(pagesURL: project.pagesURL, sdkRequest: sdkRequest, outcome: .failure(code: code, message: message))
        }
    }

    private func popup(_ outcome: Outcome) -> Response {
        var data = data("popup-finish", outcome)
        data["relay"] = .bool(project.settings.redirect.relay)
        return handlerPage(data)
    }

    private func redirect(_ outcome: Outcome) -> Response {
        let ticket = flow.ticket(cookie: cookie)
        var url = page?.description ?? ""
        if carriesToken { url += (url.contains("#") ? "&" : "#") + "broker_rt=" + ticket.text }
        var data = data("redirect-finish", outcome)
        data["returnURL"] = .string(url)
        data["flow"] = .string(FlowID(bytes: flow.id).text)
        var response = handlerPage(data)
        response.setCookie(ReturnCookie.set(ticket, site))
        return response
    }

    /// Whether the way back has a token in its address: where the operator enabled it, and in development mode where the app's page is at
    /// another name of this machine than these pages, since browsers treat the two names as different sites.
    private var carriesToken: Bool {
        let redirect = project.settings.redirect
        guard !redirect.returnToken, redirect.relay, let own = site.ownName(request).flatMap(URI.parse)?.host, let page else {
            return redirect.returnToken
        }
        return page.host != own && ThisMachine.isLoopback(host: page.host)
    }

    private func data(_ step: String, _ outcome: Outcome) -> JSON.Object {
        var data: JSON.Object = [
            "step": .string(step), "event": authEvent(outcome).json, "storageKey": .string(AuthEvent.storageKey(sdkRequest)),
        ]
        data["origin"] = page.map { .string($0.origin) }
        return data
    }

    private func handlerPage(_ data: JSON.Object) -> Response {
        project.handlerPage(.object(data), language: sdkRequest.language, request)
    }

    /// Android opens exactly the package that an intent names. A URL scheme may also belong to another app, so for an iOS app the page
    /// waits for a tap: the person sees the app's name first.
    private func native(_ link: String, _ outcome: Outcome) -> Response {
        let isDone = if case .success = outcome { true } else { false }
        return project.appPage(
            isDone ? .done : .refused, app: project.settings.nameOfApp(sdkRequest.app), link: link, opensItself: flow.kind == .android,
            language: sdkRequest.language, request)
    }
}

extension ResultPage.Outcome {
    init(_ outcome: ReturnedSignIn.Outcome) {
        switch outcome {
        case .succeeded(let code): self = .success(code: code.text)
        case .refused(let error):
            let failure = Failure(describing: error)
            self = .failure(code: failure.sdkCode, message: failure.detail ?? failure.code)
        }
    }
}
