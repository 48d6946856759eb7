import Accounts
import HTTP
import JSON
import Web

/// The page that ends a flow an SDK started, and brings its outcome to the app.
///
/// Popup: to the SDK's iframe in the page that opened it. Redirect: into the tab's storage and behind a cookie, then back to the app's page.
/// Native: by the app's own address, with a button, since browsers may refuse to open an app unasked.
struct Delivery {
    let flow: SignInFlow
    let handoff: Handoff
    /// The flow's own, which the browser brought.
    let cookie: String
    let project: Project
    let site: Site

    enum Outcome {
        /// With the one-time code.
        case success(code: String)
        /// `code` begins with `auth/`.
        case failure(code: String, message: String)
    }

    /// `nil` for a flow that no SDK started.
    init?(_ flow: SignInFlow, cookie: String, _ project: Project, _ site: Site) {
        guard let handoff = flow.handoff else { return nil }
        self.flow = flow
        self.handoff = handoff
        self.cookie = cookie
        self.project = project
        self.site = site
    }

    /// What the SDK's iframe may fetch of it, once.
    func event(_ outcome: Outcome) -> [UInt8] {
        var answer: JSON.Object = ["event": authEvent(outcome).json]
        answer["origin"] = page.map { .string($0.origin) }
        return JSON.object(answer).bytes()
    }

    func response(_ outcome: Outcome) -> Response {
        switch flow.kind {
        case .popup: popup(outcome)
        case .redirect: redirect(outcome)
        case .ios: native(nativeLink(outcome).ios(scheme: handoff.app ?? ""), outcome)
        case .android: native(nativeLink(outcome).android(package: handoff.app ?? ""), outcome)
        case .web, .client:
            Page.message(status: 200, title: "Almost there", text: "You can go back to the app now; it finishes the sign-in.")
        }
    }

    private var page: PageAddress? { flow.returnURL.flatMap(PageAddress.init) }

    /// What redeems: only letters, digits, `-` and `_` in its values, so that no reader's decoding can change it.
    private func link(_ code: String) -> String {
        "\(project.pagesURL)/__/auth/handler?providerId=\(PercentEncoding.encode(flow.providerID))&flow=\(FlowID(bytes: flow.id).text)&code=\(code)"
    }

    private func authEvent(_ outcome: Outcome) -> AuthEvent {
        switch outcome {
        case .success(let code): AuthEvent(handoff: handoff, outcome: .success(link: link(code), sessionID: cookie))
        case .failure(let code, let message): AuthEvent(handoff: handoff, outcome: .failure(code: code, message: message))
        }
    }

    private func nativeLink(_ outcome: Outcome) -> NativeLink {
        switch outcome {
        case .success(let code): NativeLink(pagesURL: project.pagesURL, handoff: handoff, outcome: .success(link: link(code)))
        case .failure(let code, let message):
            NativeLink(pagesURL: project.pagesURL, handoff: handoff, outcome: .failure(code: code, message: message))
        }
    }

    private func popup(_ outcome: Outcome) -> Response {
        finish("popup-finish", outcome, done: "You are done here. You can close this window.", [:])
    }

    private func redirect(_ outcome: Outcome) -> Response {
        let ticket = flow.ticket(cookie: cookie)
        var url = page?.url ?? ""
        if project.settings.redirect.returnToken { url += (url.contains("#") ? "&" : "#") + "broker_rt=" + ticket.text }
        var response = finish("redirect-finish", outcome, done: "You are being taken back to the app.", ["returnURL": .string(url)])
        response.headers.add("set-cookie", ReturnCookie.set(ticket, site))
        return response
    }

    private func finish(_ step: String, _ outcome: Outcome, done: String, _ more: JSON.Object) -> Response {
        var data: JSON.Object = [
            "step": .string(step), "event": authEvent(outcome).json, "storageKey": .string(AuthEvent.storageKey(handoff)),
        ]
        data["origin"] = page.map { .string($0.origin) }
        for member in more { data[member.name] = member.value }
        return HandlerPage(
            title: "Sign-in",
            body: "<main><p id=\"working\">One moment …</p><p id=\"done\" hidden>\(done)</p></main>", data: data
        ).response
    }

    private func native(_ link: String, _ outcome: Outcome) -> Response {
        let name = HTML.escaped(project.settings.branding.name)
        let text = if case .success = outcome { "You are signed in at the provider." } else { "The sign-in was not completed." }
        return HandlerPage(
            title: project.settings.branding.name,
            body: "<main><h1>\(name)</h1><p>\(text)</p><a href=\"\(HTML.escaped(link))\">Back to \(name)</a></main>",
            data: ["step": "native-finish", "link": .string(link)]
        ).response
    }
}
