import HTTP
import JSON
import Testing
import Text

extension Request {
    /// A request of a program on the server's own machine, with changes.
    static func ofThisMachine(
        _ method: HTTP.Method, _ path: String, _ query: String = "", _ headers: [(String, String)] = [], body: JSON? = nil,
        from address: String = "127.0.0.1"
    ) throws -> Request {
        var request = Request(method: method, path: path, query: query, body: body?.bytes() ?? [])
        request.headers["host"] = "localhost:8080"
        request.headers["content-type"] = "application/json"
        for (name, value) in headers { request.headers[name] = UTF8Text(value) }
        request.connectedFrom = try #require(Address(Substring(address)))
        return request
    }
}
