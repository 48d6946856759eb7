import Accounts
import HTTP
import Pages
import Postgres
import Text
import Web

extension Console {
    /// The page for an operator whose request could not be answered now, since the database or another server did not answer in time. It stands alone,
    /// without the console's frame, and asks the database nothing. `nil` for other errors.
    ///
    /// - Parameter route: the path of the endpoint, for the log.
    func unavailable(_ error: any Error, _ request: Request, _ context: Context, at route: String) -> Response? {
        guard Failure(describing: error).kind == .unavailable else { return nil }
        LogDetail.record(error, of: request, at: route, to: context.services.log)
        // A provider's answer is good for one request.
        let address = request.path == UTF8Text(Self.returnPath) ? Self.signInPath : request.pageAddress
        var response = pages.page(
            "unavailable", in: pages.language(for: request),
            [
                "reason": .word(Self.reason(of: error)), "request": .text("\(request.id)"), "isPage": .flag(address != nil),
                "again": .text(address),
            ], status: Failure.unavailable.kind.httpStatus)
        response.headers.add("retry-after", FailureResponse.patienceOfOverload)
        return response
    }

    /// The word for why it could not be answered.
    private static func reason(of error: any Error) -> String {
        switch error as? AccountError {
        case .database(.timedOut): "tookTooLong"
        case .database(.locked), .conflict: "locked"
        case .database: "noDatabase"
        default: "otherReason"
        }
    }
}

extension Request {
    /// The address to open the page again; `nil` for a request that is not for a page.
    var pageAddress: String? {
        guard method == .get || method == .head else { return nil }
        return query.isEmpty ? "\(path)" : "\(path)?\(query)"
    }
}
