import Accounts
import Brokerage
import HTTP
import Projects
import Text
import Web

/// `POST /__/auth/handler`: the answer of a provider that uses form_post. A cross-site POST carries no Lax cookie, so the answer is stored
/// and the browser is redirected to a GET that does. The redirect has a ticket, so that no other browser can fetch the answer.
struct PostedCallback: RawEndpoint {
    static let route = Route(.post, "/__/auth/handler", aliases: ["/emulator/auth/handler"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(form: Callback.names, answers: [.redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        try FetchDestination.document.check(request)
        guard request.isForm else {
            throw Failure.invalidIDPResponse("The answer is not a form.")
        }
        guard request.body.count <= 64 * 1024 else { throw Failure.invalidIDPResponse("The answer is too large.") }
        let answer = try ProviderAnswer(try Form.reading(request.body))
        if answer.isUnnamedRefusal { return passOn(answer, request) }
        let brokerage = context.services.brokerage
        guard let flow = try await brokerage.flow(waitingFor: answer) else { return try await Callback.leave(answer, context) }
        try answer.checkAddress(context.parameters["provider"], of: flow)
        guard let project = context.services.projects.current.realm(storageID: flow.projectID) else { throw BrokerageError.unknownFlow }
        let ticket = try await context.broker(of: project).keep(posted: request.body, answer, for: flow)
        let pages = project.pagesURL(for: request, of: context.services.site)
        return RedirectResponse.to(pages + request.path + "?" + Form([(name: "resume", value: ticket.text)]).encoded(), status: 303)
    }

    /// Redirects a refusal that names no flow: the GET that follows brings the cookies. It stays on the same host, whichever that is.
    private func passOn(_ answer: ProviderAnswer, _ request: Request) -> Response {
        let error = Form([(name: "error", value: String(decoding: (answer.form["error"] ?? "").utf8.prefix(64), as: UTF8.self))])
        return RedirectResponse.to(request.path + "?" + error.encoded(), status: 303)
    }
}

/// The same, at the address of one provider.
struct ProviderPostedCallback: RawEndpoint {
    static let route = Route(.post, "/__/auth/handler/{provider}", aliases: ["/emulator/auth/handler/{provider}"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = PostedCallback.content

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response { try await PostedCallback()(request, context) }
}
