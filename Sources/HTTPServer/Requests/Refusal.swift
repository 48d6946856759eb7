/// The reason why a request is not even given to the handler. It also ends the connection, because it is unclear where the next request
/// would begin.
struct Refusal: Error, Equatable {
    let status: Int
    /// For the log, never for the client.
    let reason: String

    static func bad(_ reason: StaticString) -> Refusal { Refusal(status: 400, reason: "\(reason)") }

    static let targetTooLong = Refusal(status: 414, reason: "request line too long")
    static let headersTooLarge = Refusal(status: 431, reason: "headers too large")
    static let bodyTooLarge = Refusal(status: 413, reason: "body too large")
    static let timedOut = Refusal(status: 408, reason: "request not complete in time")
    static let outOfMemory = Refusal(status: 503, reason: "too much held by requests")
    static let expectationUnknown = Refusal(status: 417, reason: "unknown expectation")
    static let methodUnknown = Refusal(status: 501, reason: "CONNECT")
    static let codingUnknown = Refusal(status: 501, reason: "unknown transfer coding")
    static let versionUnknown = Refusal(status: 505, reason: "unknown HTTP version")
}
