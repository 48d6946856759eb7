/// The limits on what one client, and all clients together, may use. Sizes are in bytes.
package struct ServerLimits: Sendable {
    /// Method, target and version; a longer line is answered with 414.
    package var requestLine = 8 * 1024
    /// All header fields of a request, and all trailers of a chunked body; more is answered with 431.
    package var headerBlock = 32 * 1024
    /// The number of header fields of a request; more is answered with 431.
    package var headerCount = 100
    /// The body of a request; a larger one is answered with 413.
    package var body = 64 * 1024
    /// The same for a request with a bearer token, if that is more: back ends import a thousand accounts in one call.
    package var bodyWithBearer = 4 * 1024 * 1024
    /// The memory of incomplete requests, of the bodies of requests that are being answered, and of what clients send ahead, for all loops
    /// together; when it is exceeded, the answer to an incomplete request is 503.
    package var unfinished = 64 * 1024 * 1024
    /// The bytes that a client may send ahead while its request is being answered. Then nothing more is read until the answer is sent.
    package var pipelined = 16 * 1024

    /// From the first byte of a request (for a new connection from its start) to the end of its head; later the answer is 408.
    package var headerRead = Duration.seconds(10)
    /// From the head to the end of the body; later the answer is 408.
    package var bodyRead = Duration.seconds(30)
    /// How long a connection without a request stays open.
    package var idle = Duration.seconds(60)
    /// How long a client may take nothing of an answer.
    package var write = Duration.seconds(30)
    /// How long the server still reads and drops what a refused client sends, so that the client can read the refusal.
    package var linger = Duration.seconds(2)

    /// The number of open connections. Further ones are closed at once.
    package var connections = 20_000
    /// The number of open connections of one client address (of one /64 for IPv6). Trusted proxies are exempt.
    package var connectionsPerAddress = 256

    package init() {}
}
