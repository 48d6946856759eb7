import Accounts
import HTTP
import JSON
import Text

/// Tells the operator's own command line (`gatehouse doctor`) how its request arrived: from which address, and what a proxy reported. To
/// all others there is nothing at this address.
struct ProxyCheck: ImmediateEndpoint {
    static let route = Route(.get, "/.well-known/gatehouse-probe", access: .anyone)
    static let content = CallContent(
        answers: [.texts(["address", "connectedFrom", "isSecure"], optional: ["host", "forwarded", "xForwardedFor"])])

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard let proof = request.headers[OperatorProofs.header], context.services.accounts.administration.operatorProofs.isGenuine(proof)
        else {
            throw Failure.notFound
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("address", request.peer.description)
            writer.field("connectedFrom", request.connectedFrom.description)
            writer.field("isSecure", request.isSecure ? "true" : "false")
            writer.field("host", request.headers["host"]?.asString)
            writer.field("forwarded", Self.list(.forwarded, of: request))
            writer.field("xForwardedFor", Self.list(.forwardedFor, of: request))
        }
        return Response(headers: ["content-type": "application/json", "cache-control": "no-store"], body: writer.bytes)
    }

    /// All lines of a header, which together are one list; `nil` without any.
    private static func list(_ header: TrustedProxies.Header, of request: Request) -> String? {
        let lines = request.headers.values(header.rawValue).map(\.asString)
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }
}
