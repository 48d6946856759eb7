import HTTP
import Logging
import Runtime
import Text

/// The open connections of one loop and the parts that they share: buffers, deadlines, time, counters.
///
/// Lives on the loop, inside `HTTPServer`.
final class Connections {
    let loop: Loop
    let limits: ServerLimits
    let parserLimits: RequestParser.Limits
    let handler: any RequestHandler
    let log: Logger
    let trustedProxies: TrustedProxies
    /// Every connection reads into this buffer. Bytes that it cannot use at once it must copy before another connection reads.
    let input: UnsafeMutableRawBufferPointer
    /// Every connection writes its answers here and sends them before its turn ends.
    let output = ByteBuffer(capacity: 64 * 1024)
    var deadlines: Deadlines
    /// Set while there are listeners or connections.
    var server: HTTPServer?
    /// Decides which connections may answer requests, and how many.
    let turns: Turns
    private(set) var isStopping = false

    private let admission: Admission
    private let metrics: RequestMetrics
    private let accessLog: AccessLog?
    private let opened: Counter
    private let refused: Counter
    private let expired: Counter
    private var time: ServerTime
    private var slots: [HTTPConnection?] = []
    private var free: [Int32] = []
    private var isTicking = false
    private var whenEmpty: [() -> Void] = []

    init(
        loop: Loop, limits: ServerLimits, trustedProxies: TrustedProxies, handler: any RequestHandler, metrics: Metrics, log: Logger,
        accessLog: AccessLog.Write?, admission: Admission, clock: Clock
    ) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        self.log = log
        self.trustedProxies = trustedProxies
        self.admission = admission
        parserLimits = RequestParser.Limits(limits)
        // Room for the longest unfinished line and for one more read behind it.
        input = .allocate(byteCount: max(64 * 1024, limits.headerBlock + limits.requestLine + limits.pipelined), alignment: 16)
        deadlines = Deadlines(limits)
        turns = Turns(loop: loop)
        time = ServerTime(clock: clock)
        self.metrics = RequestMetrics(metrics)
        self.accessLog = accessLog.map { AccessLog(loop: loop, write: $0) }
        let opened = Counter()
        self.opened = opened
        metrics.gauge("http_connections_open", "Open connections.") { opened.value }
        refused = metrics.counter("http_connections_refused_total", "Connections closed at once, over the limit of connections.")
        expired = metrics.counter("http_connections_expired_total", "Connections closed for being idle or too slow.")
    }

    deinit { input.deallocate() }

    var isEmpty: Bool { slots.count == free.count }

    // MARK: Connections come and go

    func open(_ socket: Int32, _ peer: Address) {
        guard admission.admit(peer, limits: limits, isExempt: isTrusted(peer)) else {
            refused.increment()
            return loop.close(socket)
        }
        opened.increment()
        let slot = free.popLast() ?? Int32(slots.count)
        let connection = HTTPConnection(socket, slot: slot, peer: peer, shared: self)
        if Int(slot) == slots.count { slots.append(connection) } else { slots[Int(slot)] = connection }
        deadlines.set(.header, slot, now: loop.now)
        connection.open()
        tick()
    }

    func closed(_ slot: Int32, _ peer: Address) {
        slots[Int(slot)] = nil
        free.append(slot)
        deadlines.clear(slot)
        opened.decrement()
        admission.release(peer)
        guard isEmpty, !whenEmpty.isEmpty else { return }
        let actions = whenEmpty
        whenEmpty = []
        for action in actions { action() }
    }

    /// Looks for passed deadlines from time to time, as long as there are connections.
    private func tick() {
        guard !isTicking, !isEmpty else { return }
        isTicking = true
        loop.schedule(after: deadlines.interval) { [self] in
            isTicking = false
            while let (slot, kind) = deadlines.expired(loop.now) {
                if kind != .linger { expired.increment() }
                slots[Int(slot)]?.expire(kind)
            }
            tick()
        }
    }

    // MARK: Requests and answers

    /// Adds the facts that the request itself does not contain: its client, its number, its time.
    func address(_ request: inout Request, from peer: Address) {
        request.peer = peer
        request.connectedFrom = peer
        request.id = RequestID.random()
        request.received = loop.now
        guard isTrusted(peer) else { return }
        let client = ClientAddress.resolve(peer: peer, headers: request.headers, trusted: trustedProxies)
        request.peer = client.address
        request.isSecure = client.isSecure
    }

    /// Counts the memory of requests, for all loops together.
    func hold(_ bytes: Int) { admission.hold(bytes) }

    var isOverfull: Bool { admission.held > limits.unfinished }

    private func isTrusted(_ peer: Address) -> Bool { !trustedProxies.isEmpty && trustedProxies.contains(peer) }

    /// Writes the answer to `output`, counts it and logs it.
    func write(_ response: borrowing Response, _ exchange: Exchange, keepsAlive: Bool) {
        time.update(loop.now)
        let bytes = ResponseWriter.write(
            response, to: output, isHead: exchange.method == .head, keepsAlive: keepsAlive, isHTTP10: exchange.isHTTP10, time: time)
        record(response, exchange, bytes: bytes)
    }

    private func record(_ response: borrowing Response, _ exchange: Exchange, bytes: Int) {
        let now = MonotonicTime.read()
        let microseconds = now.microseconds(since: exchange.received)
        metrics.record(route: response.route, status: response.status, microseconds: microseconds)
        accessLog?.record(
            exchange.method, route: response.route, status: response.status, microseconds: microseconds, id: exchange.id, bytes: bytes,
            at: time, now)
    }

    /// For bytes that are not a valid request.
    func exchangeOfRefused() -> Exchange {
        Exchange(id: RequestID.random(), received: loop.now, method: nil, keepsAlive: false, isHTTP10: false)
    }

    /// Passes on an answer that a handler was slow to give. The connection may be closed by now, and another may have its slot.
    func finish(_ slot: Int32, _ exchange: Exchange, _ response: Response) {
        if slots[Int(slot)]?.finish(exchange, response) == true { return }
        time.update(loop.now)
        record(response, exchange, bytes: 0)
    }

    // MARK: Stop

    /// From now on each answer is the last one of its connection.
    func stop() { isStopping = true }

    func closeIdle() {
        for connection in slots { connection?.closeIfIdle() }
    }

    func whenEmpty(_ action: @escaping () -> Void) { if isEmpty { action() } else { whenEmpty.append(action) } }

    func closeAll() {
        for connection in slots { connection?.close() }
    }
}

/// The facts about a request that are needed when its answer comes.
struct Exchange {
    let id: RequestID
    let received: MonotonicTime
    /// `nil` when the request could not be read.
    let method: Method?
    let keepsAlive: Bool
    let isHTTP10: Bool
}

extension Exchange {
    init(of message: borrowing RequestParser.Message) {
        self.init(
            id: message.request.id, received: message.request.received, method: message.request.method, keepsAlive: message.keepsAlive,
            isHTTP10: message.isHTTP10)
    }
}
