import Accounts
import HTTP
import Logging
import Pages
import Web

extension Console {
    /// The page for an operator whose request could not be answered now, since the database or another server did not answer in time. It stands alone,
    /// without the console's frame, and asks the database nothing. `nil` for other errors.
    ///
    /// - Parameter route: the path of the endpoint, for the log.
    func unavailable(_ error: any Error, _ request: Request, _ context: Context, at route: String) -> Response? {
        guard Failure(describing: error).kind == .unavailable else { return nil }
        context.log.log(
            level: LogDetail.level(of: error), "request failed",
            metadata: ["route": "\(route)", "error": "\(LogDetail.of(error))"])
        let isPage = request.method == .get || request.method == .head
        let address = request.query.isEmpty ? request.path : "\(request.path)?\(request.query)"
        var response = pages.page(
            "unavailable", in: pages.language(for: request),
            [
                "reason": .word(Self.reason(of: error)), "request": .text("\(request.id)"), "isPage": .flag(isPage),
                "again": .text(isPage ? address : ""),
            ], status: Failure.unavailable.kind.httpStatus)
        response.headers.add("retry-after", FailureResponse.patienceOfOverload)
        return response
    }

    /// The word for why it could not be answered.
    private static func reason(of error: any Error) -> String {
        switch error as? AccountError {
        case let fault? where fault.isOfTime: "tookTooLong"
        case let fault? where fault.isOfLocks: "locked"
        case .database: "noDatabase"
        default: "otherReason"
        }
    }
}
