import Glibc
import HTTP
import Runtime

/// Turns the bytes of one connection into its requests, one after another: a value without I/O.
///
/// It gets the bytes that have been read, reads them in place, and reports how far it got. Bytes that it did not use are given to it
/// again, together with the next ones. It keeps finished lines and body bytes itself, so that a caller never holds more than one
/// unfinished line. Framing is strict (SEC-19): forms that RFC 9112 lets a server tolerate, and that two servers could read in two ways,
/// are refused. <https://www.rfc-editor.org/rfc/rfc9112>
///
/// Stricter than the standard: bare LF, obs-fold, a repeated or a listed Content-Length, leading zeros in it, Transfer-Encoding beside
/// Content-Length, several transfer codings, and white space that is not part of the grammar are answered with 400 and not repaired; a
/// transfer coding other than `chunked` with 501. Fields with `_` in their name are dropped, since gateways map `_` and `-` to one name. Trailers are checked and dropped.
struct RequestParser {
    enum Outcome {
        /// All complete parts have been read.
        case more
        /// A request is complete: `take()` it, then continue.
        case request
        /// Nothing that follows can be read.
        case refused(Refusal)
    }

    /// A request as it was on the wire, without its client and its time.
    struct Message {
        var request = Request(method: .get, path: "", received: MonotonicTime(nanoseconds: 0))
        /// Whether the client will use the connection again.
        var keepsAlive = true
        var isHTTP10 = false
    }

    private enum State {
        case start, headers
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd, trailers
        case refused(Refusal)
    }

    private let limits: Limits
    private var state = State.start
    private var head = HeadParser()
    /// The length of the part of the unfinished line that is known to contain no LF.
    private var searched = 0
    private var hasSkippedLine = false
    private var chunkExtensions = 0
    /// Whether the client waits for `100 Continue` before it sends the body. The code that answers resets it.
    var isContinueExpected = false

    /// The limits that the parser itself enforces.
    struct Limits {
        let requestLine, headerBlock, headerCount, body, bodyWithBearer: Int

        init(_ limits: ServerLimits) {
            requestLine = limits.requestLine
            headerBlock = limits.headerBlock
            headerCount = limits.headerCount
            body = limits.body
            bodyWithBearer = max(limits.body, limits.bodyWithBearer)
        }
    }

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Whether no byte of a request has arrived, so that the parser may be dropped.
    var isFresh: Bool { if case .start = state { !hasSkippedLine } else { false } }

    /// Whether the head has arrived and the body has not.
    var isInBody: Bool {
        switch state {
        case .start, .headers, .refused: false
        case .body, .chunkSize, .chunk, .chunkEnd, .trailers: true
        }
    }

    /// The bytes in memory of an incomplete request.
    var held: Int { head.size + head.message.request.body.count }

    /// Reads from `offset` on and moves it behind the bytes that were used.
    mutating func parse(_ input: UnsafeRawBufferPointer, from offset: inout Int) -> Outcome {
        do throws(Refusal) {
            while offset < input.count {
                guard try advance(input, &offset) else { return .more }
                if case .start = state { return .request }
            }
            return .more
        } catch {
            state = .refused(error)
            return .refused(error)
        }
    }

    /// The request that `parse` has just announced. Then the parser is ready for the next one.
    mutating func take() -> Message {
        var message = Message()
        swap(&message, &head.message)
        head.reset()
        hasSkippedLine = false
        chunkExtensions = 0
        isContinueExpected = false
        return message
    }

    /// Takes one step; false when it needs more bytes. A step that ends in `.start` has finished a request.
    private mutating func advance(_ input: UnsafeRawBufferPointer, _ offset: inout Int) throws(Refusal) -> Bool {
        switch state {
        case .refused(let refusal): throw refusal
        case .start:
            guard let line = try line(input, &offset, limit: limits.requestLine, tooLong: .targetTooLong) else { return false }
            if line.isEmpty {
                // One empty line before a request is allowed: <https://www.rfc-editor.org/rfc/rfc9112#section-2.2>
                guard !hasSkippedLine else { throw .bad("empty line for a request line") }
                hasSkippedLine = true
                return offset < input.count ? try advance(input, &offset) : false
            }
            try head.readRequestLine(line)
            state = .headers
        case .headers:
            guard let line = try line(input, &offset, limit: limits.headerBlock, tooLong: .headersTooLarge) else { return false }
            if line.isEmpty { return try readFraming(isLast: offset == input.count) }
            try head.readField(line, limits)
        case .body(let remaining):
            let count = min(remaining, input.count - offset)
            append(input[offset..<(offset + count)])
            offset += count
            state = remaining == count ? .start : .body(remaining: remaining - count)
        case .chunkSize:
            guard let line = try line(input, &offset, limit: 256, tooLong: .bad("chunk line too long")) else { return false }
            try readChunkSize(line)
        case .chunk(let remaining):
            let count = min(remaining, input.count - offset)
            append(input[offset..<(offset + count)])
            offset += count
            state = remaining == count ? .chunkEnd : .chunk(remaining: remaining - count)
        case .chunkEnd:
            guard input[offset] == Byte.cr else { throw .bad("chunk longer than its size") }
            guard input.count - offset >= 2 else { return false }
            guard input[offset + 1] == Byte.lf else { throw .bad("chunk longer than its size") }
            offset += 2
            state = .chunkSize
        case .trailers:
            guard let line = try line(input, &offset, limit: limits.headerBlock, tooLong: .headersTooLarge) else { return false }
            if line.isEmpty { state = .start } else { try head.skipTrailer(line, limits) }
        }
        return true
    }

    /// The next line without its CRLF; `nil` when its end has not arrived.
    private mutating func line(
        _ input: UnsafeRawBufferPointer, _ offset: inout Int, limit: Int, tooLong: Refusal
    ) throws(Refusal) -> UnsafeRawBufferPointer? {
        let start = offset
        guard let base = input.baseAddress else { return nil }
        guard let found = memchr(base + start + searched, Int32(Byte.lf), input.count - start - searched) else {
            searched = input.count - start
            guard searched <= limit else { throw tooLong }
            return nil
        }
        searched = 0
        let end = UnsafeRawPointer(found) - base
        guard end - start <= limit else { throw tooLong }
        guard end > start, input[end - 1] == Byte.cr else { throw .bad("line ends in a bare LF") }
        offset = end + 1
        return UnsafeRawBufferPointer(rebasing: input[start..<(end - 1)])
    }

    private mutating func readFraming(isLast: Bool) throws(Refusal) -> Bool {
        switch try head.framing() {
        case .none: state = .start
        case .length(let length):
            guard length <= bodyLimit else { throw .bodyTooLarge }
            state = .body(remaining: length)
            // Reserves room for the announced length, but not more than one read can bring, since a client can announce any length.
            head.message.request.body.reserveCapacity(min(length, 64 * 1024))
            if length == 0 { state = .start }
        case .chunked: state = .chunkSize
        }
        if case .start = state { return true }
        isContinueExpected = head.expectsContinue && isLast && !head.message.isHTTP10
        return true
    }

    private var bodyLimit: Int { head.message.request.bearerToken != nil ? limits.bodyWithBearer : limits.body }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        isContinueExpected = false
        head.message.request.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// <https://www.rfc-editor.org/rfc/rfc9112#section-7.1>
    private mutating func readChunkSize(_ line: UnsafeRawBufferPointer) throws(Refusal) {
        isContinueExpected = false
        var size = 0
        var digits = 0
        while digits < line.count, let value = line[digits].hexValue {
            guard digits < 8 else { throw .bad("chunk size too long") }
            size = size << 4 | Int(value)
            digits += 1
        }
        guard digits > 0 else { throw .bad("chunk size is not a number") }
        let extensions = UnsafeRawBufferPointer(rebasing: line[digits...])
        guard ChunkExtension.isValid(extensions) else { throw .bad("malformed chunk extension") }
        chunkExtensions += extensions.count
        // Extensions are ignored, but a body must not consist of them.
        guard chunkExtensions <= 4096 else { throw .bad("too many chunk extensions") }
        guard size <= bodyLimit - head.message.request.body.count else { throw .bodyTooLarge }
        state = size == 0 ? .trailers : .chunk(remaining: size)
    }
}
