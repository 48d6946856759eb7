import HTTP
import Text

/// Writes the bytes of a `Response`: its head and its body.
enum ResponseWriter {
    static let interim: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

    /// `time` must have been updated for this turn. Returns how many bytes of the body were written.
    static func write(
        _ response: borrowing Response, to output: ByteBuffer, isHead: Bool, keepsAlive: Bool, isHTTP10: Bool, time: borrowing ServerTime
    ) -> Int {
        let status = response.status
        if let line = statusLine(status) {
            output.append(line)
        } else {
            output.append("HTTP/1.1 ")
            output.append(decimal: status)
            output.append(" \r\n")
        }
        output.append(time.dateField)
        response.headers.forEach { name, value in
            if !isOurs(name) { output.append(field: name, value) }
        }
        // <https://www.rfc-editor.org/rfc/rfc9110#section-8.6>
        let hasBody = status >= 200 && status != 204 && status != 304
        if hasBody {
            output.append("Content-Length: ")
            output.append(decimal: response.body.count)
            output.append("\r\n")
        }
        if !keepsAlive {
            output.append("Connection: close\r\n")
        } else if isHTTP10 {
            output.append("Connection: keep-alive\r\n")
        }
        output.append("\r\n")
        guard hasBody, !isHead else { return 0 }
        output.append(response.body)
        return response.body.count
    }

    /// Whether a field belongs to the connection, which a handler cannot know.
    private static func isOurs(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: Byte.equal(name, "date")
        case 10: Byte.equal(name, "connection") || Byte.equal(name, "keep-alive")
        case 14: Byte.equal(name, "content-length")
        case 17: Byte.equal(name, "transfer-encoding")
        default: false
        }
    }

    private static func statusLine(_ status: Int) -> StaticString? {
        switch status {
        case 200: "HTTP/1.1 200 OK\r\n"
        case 201: "HTTP/1.1 201 Created\r\n"
        case 202: "HTTP/1.1 202 Accepted\r\n"
        case 204: "HTTP/1.1 204 No Content\r\n"
        case 301: "HTTP/1.1 301 Moved Permanently\r\n"
        case 302: "HTTP/1.1 302 Found\r\n"
        case 303: "HTTP/1.1 303 See Other\r\n"
        case 304: "HTTP/1.1 304 Not Modified\r\n"
        case 307: "HTTP/1.1 307 Temporary Redirect\r\n"
        case 308: "HTTP/1.1 308 Permanent Redirect\r\n"
        case 400: "HTTP/1.1 400 Bad Request\r\n"
        case 401: "HTTP/1.1 401 Unauthorized\r\n"
        case 403: "HTTP/1.1 403 Forbidden\r\n"
        case 404: "HTTP/1.1 404 Not Found\r\n"
        case 405: "HTTP/1.1 405 Method Not Allowed\r\n"
        case 408: "HTTP/1.1 408 Request Timeout\r\n"
        case 409: "HTTP/1.1 409 Conflict\r\n"
        case 413: "HTTP/1.1 413 Content Too Large\r\n"
        case 414: "HTTP/1.1 414 URI Too Long\r\n"
        case 415: "HTTP/1.1 415 Unsupported Media Type\r\n"
        case 417: "HTTP/1.1 417 Expectation Failed\r\n"
        case 429: "HTTP/1.1 429 Too Many Requests\r\n"
        case 431: "HTTP/1.1 431 Request Header Fields Too Large\r\n"
        case 500: "HTTP/1.1 500 Internal Server Error\r\n"
        case 501: "HTTP/1.1 501 Not Implemented\r\n"
        case 502: "HTTP/1.1 502 Bad Gateway\r\n"
        case 503: "HTTP/1.1 503 Service Unavailable\r\n"
        case 504: "HTTP/1.1 504 Gateway Timeout\r\n"
        case 505: "HTTP/1.1 505 HTTP Version Not Supported\r\n"
        default: nil
        }
    }
}
