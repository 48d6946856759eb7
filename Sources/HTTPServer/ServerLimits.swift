/// What one client, and all of them together, may take up. Sizes are in bytes.
package struct ServerLimits: Sendable {
    /// Method, target and version; beyond it 414.
    package var requestLine = 8 * 1024
    /// All header fields of a request, and all trailers of a chunked body; beyond it 431.
    package var headerBlock = 32 * 1024
    /// Header fields of a request; beyond it 431.
    package var headerCount = 100
    /// The body of a request; beyond it 413.
    package var body = 64 * 1024
    /// What requests that are not complete yet may hold in memory, of all loops together; beyond it 503.
    package var unfinished = 64 * 1024 * 1024
    /// What a client may send ahead while its request is being answered; then it is not read from until the answer is out.
    package var pipelined = 16 * 1024

    /// From the first byte of a request (for a new connection from its start) to the end of its head; beyond it 408.
    package var headerRead = Duration.seconds(10)
    /// From the head to the end of the body; beyond it 408.
    package var bodyRead = Duration.seconds(30)
    /// How long a connection without a request stays open.
    package var idle = Duration.seconds(60)
    /// How long a client may take nothing of an answer.
    package var write = Duration.seconds(30)
    /// How long what a refused client still sends is read and dropped, so that it gets to see the refusal.
    package var linger = Duration.seconds(2)

    /// Open connections; beyond it new ones are closed at once, but for the reserve.
    package var connections = 20_000
    /// Connections beyond that, each for one health check; other requests are answered 503 there.
    package var reserve = 64
    package var reservePerAddress = 4
    /// Open connections of one client address (of one /64 for IPv6). Trusted proxies are exempt.
    package var connectionsPerAddress = 256

    package init() {}
}
