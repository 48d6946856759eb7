import Runtime

/// Fair turns: how many requests a connection may have answered before the others of its loop get theirs (SEC-75).
///
/// A client may send requests ahead, thousands in one read. A connection answers at most `most` of them in one turn of the loop, and
/// fewer when many wait; then it goes to the back of the queue. So a request that comes alone never waits for more than about `most` of each
/// of a few connections, or for one of each of many.
final class Turns {
    static let most = 16
    /// What all connections that wait may answer in one turn together, as long as that gives each of them one request.
    private static let together = 64

    private let loop: Loop
    private var waiting: [Connection] = []
    // What is being served; swapped with the other so that no turn allocates.
    private var serving: [Connection] = []
    /// How many requests a connection may have answered in this turn.
    private(set) var share = Turns.most
    private var serveAll: () -> Void = {}

    init(loop: Loop) {
        self.loop = loop
        serveAll = { [unowned self] in serve() }
    }

    /// The number of this turn.
    var number: UInt64 { loop.turn }

    /// Has `connection` go on in the next turn, behind what comes in by then.
    func postpone(_ connection: Connection) {
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
