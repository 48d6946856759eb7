import Accounts
import Brokerage
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `POST /__/auth/relay`: the SDK's iframe asks for a result by a ticket, for a popup that may have lost its opener, or for an app's page
/// on another site that found the ticket in its address. No cookie and no origin are checked: the ticket is the proof, and works once.
struct Relay: RawEndpoint {
    static let route = Route(.post, "/__/auth/relay", aliases: ["/emulator/auth/relay"], access: .anyone)
    static let errorFormat = ErrorFormat.googleJSON
    static var content: CallContent {
        get throws { CallContent(body: .json(try JSONShape(of: Input.self)), answers: [.json(.map(.anything))]) }
    }

    struct Input: Decodable {
        var relay: UTF8Text
    }

    /// Answers 200 `{}` while the sign-in is going on, and 404 once no result can come any more.
    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let input = try JSONBody.decode(Input.self, from: request)
        guard let ticket = FlowTicket(input.relay),
            let redirect = context.services.projects.current.realm(storageID: ticket.projectID)?.settings.redirect,
            redirect.relay || redirect.returnToken
        else { throw Failure.notFound }
        switch try await context.services.brokerage.takeEvent(ticket) {
        case .waiting: return Response(json: Array("{}".utf8))
        case .event(let event): return Response(json: event)
        case .unknown: throw Failure.notFound
        }
    }
}
