import Accounts
import Brokerage
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `POST /__/auth/pending`: the SDK's iframe asks for the result of a redirect that its own storage does not have, by the cookie that the
/// redirect set.
struct Pending: RawEndpoint {
    static let route = Route(.post, "/__/auth/pending", aliases: ["/emulator/auth/pending"], access: .anyone)
    static let errorFormat = ErrorFormat.googleJSON
    static var content: CallContent {
        get throws { CallContent(body: .json(try JSONShape(of: Input.self)), answers: [.json(.map(.anything))]) }
    }

    struct Input: Decodable {
        /// `<API key>:<app name>`
        var storageKey: UTF8Text
        /// The origin of the page that frames the iframe.
        var origin: UTF8Text
        /// The one flow whose result is wanted, if given: the cookie may belong to another tab.
        var flow: UTF8Text?
    }

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let input = try JSONBody.decode(Input.self, from: request)
        let services = context.services
        let key = input.storageKey.utf8.prefix { $0 != UInt8(ascii: ":") }
        let apiKey = UTF8Text(key)
        guard key.endIndex != input.storageKey.utf8.endIndex, !input.storageKey.hasNUL, !input.origin.hasNUL,
            let project = services.projects.project(apiKey: apiKey, for: request)
        else { throw Failure.invalidArgument("storageKey does not name a project.") }
        // Only the cookie proves the right to the result, so a request of another page must be refused.
        guard let origin = request.headers["origin"], origin == project.pagesURL(for: request, of: services.site),
            request.headers["sec-fetch-site"] ?? "same-origin" == "same-origin"
        else { throw Failure.notFromOwnFrame }
        guard let ticket = ReturnCookie.ticket(in: request, services.site), ticket.belongs(to: project.settings),
            input.flow.map({ $0 == FlowID(bytes: ticket.flowID).text }) ?? true
        else {
            return Response(json: Array("{}".utf8))
        }
        let collected = try await services.brokerage.takeEvent(
            ticket, apiKey: apiKey.asString, appName: UTF8Text(input.storageKey.utf8[key.endIndex...].dropFirst()).asString,
            origin: input.origin.asString)
        guard case .event(let event) = collected else { return Response(json: Array("{}".utf8)) }
        var response = Response(json: event)
        response.setCookie(ReturnCookie.cookie(services.site).clear())
        return response
    }
}
