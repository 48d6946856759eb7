import Glibc
import HTTP
import Logging
import Runtime
import Text

/// One client's socket on a loop. Between requests it needs no memory but this object and a deadline.
final class HTTPConnection: Watcher {
    enum State { case reading, answering, closing, lingering, closed }

    /// The state of an unfinished request or answer. It is dropped when everything is finished.
    final class Work {
        /// `nil` between requests.
        var parser: RequestParser?
        /// Bytes that were read and, from `used` on, are not used yet: half a line, or requests that the client sent ahead.
        var carry: [UInt8] = []
        var used = 0
        var held: Int { carry.count - used }
        /// Bytes of answers that the socket has not taken yet.
        var unsent: [UInt8] = []
        /// The request that the handler is working on.
        var answering: RequestID?
        /// The part of this that is counted in `Connections.hold`.
        var counted = 0
    }

    let shared: Connections
    let descriptor: Int32
    let slot: Int32
    let peer: Address
    // What follows is in the order that leaves no gaps: an idle connection takes 80 bytes of malloc's, and would take 112 in another.
    var work: Work?
    private var interest = Interest.read
    /// The turn of the loop that `answered` belongs to.
    private var turn: UInt32 = 0
    /// The number of requests that it has answered in that turn.
    private var answered: UInt8 = 0
    var state = State.reading
    private var isProcessing = false
    /// Whether it has had its share of this turn and waits for the next one.
    private var isPostponed = false
    /// Whether the client may still be sending when the connection is closed.
    private var mayLinger = false
    private var hasPeerClosed = false

    init(_ descriptor: Int32, slot: Int32, peer: Address, shared: Connections) {
        self.descriptor = descriptor
        self.slot = slot
        self.peer = peer
        self.shared = shared
    }

    var isBlocked: Bool { work.map { !$0.unsent.isEmpty } ?? false }

    func makeWork() -> Work {
        if let work { return work }
        let made = Work()
        work = made
        return made
    }

    // MARK: Reading

    /// Reads at once, since the first request has often arrived with the connection. A connection that is answered and closed at once is
    /// never watched.
    func open() {
        receive()
        guard state != .closed else { return }
        do { try shared.loop.watch(descriptor, for: interest, self) } catch { close() }
    }

    nonisolated func ready(_ ready: Interest) {
        if ready.isBroken && !ready.isReadable { return close() }
        switch state {
        case .closed: break
        case .lingering: drop()
        case _ where isBlocked: resume()
        case .reading where isPostponed: break
        case .reading, .answering, .closing:
            if interest.isReadable { receive() } else if ready.isBroken { close() }
        }
    }

    func receive() {
        let input = shared.input
        let held = work?.held ?? 0
        // While the handler works on a request, only a limited amount may be read ahead.
        let room = state == .answering ? max(1, min(input.count - held, shared.limits.pipelined - held)) : input.count - held
        guard let base = input.baseAddress, room > 0 else { return close() }
        let count = recv(descriptor, base + held, room, 0)
        if count > 0 {
            if held > 0, let work {
                work.carry.withUnsafeBytes { input.copyBytes(from: UnsafeRawBufferPointer(rebasing: $0[work.used...])) }
            }
            let bytes = UnsafeRawBufferPointer(start: base, count: held + count)
            if state == .reading { return process(bytes) }
            let work = makeWork()
            work.carry.append(contentsOf: bytes[held...])
            hold(work.counted + count, for: work)
            updateDeadline()
        } else if count == 0 {
            if state != .answering { return close() }
            hasPeerClosed = true
            updateDeadline()
        } else if errno != EAGAIN && errno != EINTR {
            close()
        }
    }

    /// Answers the complete requests, up to its share of the turn, then keeps the rest and sends the answers.
    ///
    /// - Parameter carry: the kept bytes of which `input` is the end, if there are any.
    private func process(_ input: UnsafeRawBufferPointer, of carry: [UInt8]? = nil) {
        var parser = work?.parser ?? RequestParser(shared.parserLimits)
        // Now the parser's arrays have one owner while it appends to them.
        work?.parser = nil
        var offset = 0
        var hasAnswered = false
        isProcessing = true
        if turn != shared.turns.number { (turn, answered) = (shared.turns.number, 0) }
        reading: while state == .reading, !isBlocked, answered < shared.turns.share {
            switch parser.parse(input, from: &offset) {
            case .more: break reading
            case .request:
                hasAnswered = true
                answered += 1
                answer(parser.take())
            case .refused(.bodyTooLarge): refuseBody(of: parser.take())
            case .refused(let refusal): refuse(refusal)
            }
            if shared.output.count > 64 * 1024 { flush() }
        }
        isProcessing = false
        guard state != .closed else { return }
        if parser.isContinueExpected, state == .reading {
            parser.isContinueExpected = false
            shared.output.append(ResponseWriter.interim)
        }
        keep(parser, rest: input[offset...], of: carry)
        flush()
        if state == .reading, !isBlocked, offset < input.count, answered >= shared.turns.share { postpone() }
        updateDeadline(isNewRequest: hasAnswered)
    }

    private func postpone() {
        isPostponed = true
        shared.turns.postpone(self)
    }

    /// Continues with what has already been read.
    func takeTurn() {
        isPostponed = false
        if state == .reading, !isBlocked { goOn() }
    }

    private func keep(_ parser: RequestParser, rest: Slice<UnsafeRawBufferPointer>, of carry: [UInt8]?) {
        if parser.isFresh, rest.isEmpty {
            guard let work else { return }
            hold(0, for: work)
            work.carry = []
            work.used = 0
            if work.unsent.isEmpty, work.answering == nil { self.work = nil }
            return
        }
        let work = makeWork()
        work.parser = parser.isFresh ? nil : parser
        // Kept bytes stay where they are until half of them are used.
        if let carry, rest.count * 2 > carry.count { work.carry = carry } else { work.carry = Array(rest) }
        work.used = work.carry.count - rest.count
        hold(parser.held + work.carry.count, for: work)
        if state == .reading, shared.isOverfull { refuse(.outOfMemory) }
    }

    private func hold(_ size: Int, for work: Work) {
        guard size != work.counted else { return }
        shared.hold(size - work.counted)
        work.counted = size
    }

    // MARK: Answering

    private func answer(_ message: consuming RequestParser.Message) {
        shared.address(&message.request, from: peer)
        let (request, exchange) = (message.request, Exchange(of: message))
        if request.path == "*" {
            write(Response(status: 204, headers: ["allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]), exchange)
        } else if case .other = request.method {
            write(Response(status: 501), exchange)
        } else {
            switch shared.handler.answer(request) {
            case .ready(let response): write(response, exchange)
            case .pending(let work):
                state = .answering
                makeWork().answering = exchange.id
                shared.server?.start(work, exchange, body: request.body.count, on: slot)
            }
        }
    }

    /// Takes the answer of the handler, which may come while the request is still being processed, or much later. Returns false when this
    /// connection does not wait for it.
    func finish(_ exchange: Exchange, _ response: Response) -> Bool {
        guard state == .answering, let work, work.answering == exchange.id else { return false }
        work.answering = nil
        state = .reading
        write(response, exchange)
        if !isProcessing { goOn() }
        return true
    }

    private func write(_ response: Response, _ exchange: Exchange) {
        let keepsAlive = exchange.keepsAlive && !shared.isStopping
        shared.write(response, exchange, keepsAlive: keepsAlive)
        if !keepsAlive { state = .closing }
    }

    func refuse(_ refusal: Refusal) { refuse(refusal, Response(status: refusal.status), shared.exchangeOfRefused()) }

    /// Refuses a request whose head was read: only the handler knows in which form the client expects an error.
    private func refuseBody(of message: consuming RequestParser.Message) {
        shared.address(&message.request, from: peer)
        refuse(.bodyTooLarge, shared.handler.bodyTooLarge(message.request), Exchange(of: message))
    }

    private func refuse(_ refusal: Refusal, _ response: Response, _ exchange: Exchange) {
        shared.log.debug("request refused", metadata: ["status": "\(refusal.status)", "reason": "\(refusal.reason)"])
        shared.write(response, exchange, keepsAlive: false)
        state = .closing
        mayLinger = true
    }

    /// Processes the requests that were sent ahead, or at least sends what has been written.
    func goOn() {
        if state == .reading, let work, work.held > 0 {
            let (carry, used) = (work.carry, work.used)
            return carry.withUnsafeBytes { process(UnsafeRawBufferPointer(rebasing: $0[used...]), of: carry) }
        }
        flush()
        updateDeadline(isNewRequest: true)
    }

    // MARK: Between turns

    /// Sets what the connection waits for, and for how long.
    func updateDeadline(isNewRequest: Bool = false) {
        if isBlocked {
            wait(.write, for: .write, restarting: true)
            return
        }
        switch state {
        case .reading:
            if isPostponed { return shared.deadlines.clear(slot) }
            if work?.answering == nil, work?.parser == nil, (work?.held ?? 0) == 0 { work = nil }
            let kind: Deadlines.Kind = work == nil ? .idle : work?.parser?.isInBody == true ? .body : .header
            wait(.read, for: kind, restarting: isNewRequest)
        case .answering:
            shared.deadlines.clear(slot)
            let isFull = (work?.held ?? 0) >= shared.limits.pipelined
            want(hasPeerClosed || isFull ? [] : .read)
        case .closing: if mayLinger || (work?.held ?? 0) > 0 { linger() } else { close() }
        case .lingering, .closed: break
        }
    }

    func wait(_ interest: Interest, for kind: Deadlines.Kind, restarting: Bool) {
        want(interest)
        if restarting || !shared.deadlines.has(kind, slot) { shared.deadlines.set(kind, slot, now: shared.loop.now) }
    }

    private func want(_ interest: Interest) {
        guard interest.rawValue != self.interest.rawValue else { return }
        self.interest = interest
        do { try shared.loop.rewatch(descriptor, for: interest) } catch { close() }
    }
}
