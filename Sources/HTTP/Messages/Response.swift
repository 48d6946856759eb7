/// One HTTP answer. The server adds `Date`, `Content-Length` and `Connection`.
package struct Response: Sendable {
    package var status: Int
    package var headers: Headers
    package var body: [UInt8]
    /// The pattern that the request matched (`/v1/accounts:lookup`), for the access log and the metrics. It is never sent.
    package var route: String

    package init(status: Int = 200, headers: Headers = Headers(), body: [UInt8] = [], route: String = "") {
        self.status = status
        self.headers = headers
        self.body = body
        self.route = route
    }
}
