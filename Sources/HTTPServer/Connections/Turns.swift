import Runtime

/// Shares a loop fairly: limits how many requests a connection may have answered before the other connections get their turn (SEC-75).
///
/// A client may send thousands of requests ahead, in one read. A connection answers at most `most` of them in one turn of the loop, and
/// fewer when many connections wait; then it goes to the back of the queue. So a single request waits for at most about `most` requests of
/// each of a few connections, or for one request of each of many.
final class Turns {
    static let most = 16
    /// The number of requests that all waiting connections may answer together in one turn, as long as each of them gets at least one.
    private static let together = 64

    private let loop: Loop
    private var waiting: [HTTPConnection] = []
    // The connections that are being served. Swapped with `waiting`, so that a turn allocates nothing.
    private var serving: [HTTPConnection] = []
    /// The number of requests that a connection may have answered in this turn.
    private(set) var share = Turns.most
    private var serveAll: () -> Void = {}

    init(loop: Loop) {
        self.loop = loop
        serveAll = { [unowned self] in serve() }
    }

    /// The number of this turn, which begins again after four thousand million.
    var number: UInt32 { UInt32(truncatingIfNeeded: loop.turn) }

    /// Lets `connection` continue in the next turn, after the requests that arrive until then.
    func postpone(_ connection: HTTPConnection) {
        if waiting.isEmpty { loop.atNextTurn(serveAll) }
        waiting.append(connection)
    }

    private func serve() {
        swap(&waiting, &serving)
        share = max(1, min(Self.most, Self.together / serving.count))
        for connection in serving { connection.takeTurn() }
        serving.removeAll(keepingCapacity: true)
        if waiting.isEmpty { share = Self.most }
    }
}
