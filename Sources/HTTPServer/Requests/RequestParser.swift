import Glibc
import HTTP
import Runtime
import Text

/// The bytes of one connection to its requests, one after another: a value without I/O.
///
/// It is fed whatever has been read, reads in place, and says how far it got; what it did not use is fed again with what came after. It
/// keeps finished lines and body bytes itself, so a caller never holds more than one unfinished line. Framing is strict (SEC-19): what
/// RFC 9112 lets a server tolerate and two servers could read in two ways is refused.
/// <https://www.rfc-editor.org/rfc/rfc9112>
///
/// Strays: bare LF, obs-fold, a repeated or a listed Content-Length, leading zeros in it, Transfer-Encoding beside Content-Length, any transfer
/// coding but `chunked`, and white space where the grammar has none are 400, not repaired; fields with `_` in their name are dropped,
/// since gateways map `_` and `-` to one name; trailers are checked and dropped.
struct RequestParser {
    enum Outcome {
        /// All that is whole has been read.
        case more
        /// `take()` it, then go on.
        case request
        /// Nothing that follows can be read.
        case refused(Refusal)
    }

    /// A request as it was on the wire: who sent it and when is not in it.
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
    /// How much of the unfinished line is known to hold no LF.
    private var searched = 0
    private var hasSkippedLine = false
    private var chunkExtensions = 0
    /// Whether the client waits for `100 Continue` before it sends the body. The code that answers sets it back.
    var isContinueExpected = false

    /// The limits that the parser itself enforces.
    struct Limits {
        let requestLine, headerBlock, headerCount, body: Int

        init(_ limits: ServerLimits) {
            requestLine = limits.requestLine
            headerBlock = limits.headerBlock
            headerCount = limits.headerCount
            body = limits.body
        }
    }

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Whether no byte of a request has come, so that the parser may be thrown away.
    var isFresh: Bool { if case .start = state { !hasSkippedLine } else { false } }

    /// Whether the head is in and the body is not.
    var isInBody: Bool {
        switch state {
        case .start, .headers, .refused: false
        case .body, .chunkSize, .chunk, .chunkEnd, .trailers: true
        }
    }

    /// Bytes held of a request that is not complete.
    var held: Int { head.size + head.message.request.body.count }

    /// Reads from `offset` on and moves it behind what has been used.
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

    /// The request that `parse` has just announced; the parser is ready for the next one.
    mutating func take() -> Message {
        var message = Message()
        swap(&message, &head.message)
        head.reset()
        hasSkippedLine = false
        chunkExtensions = 0
        isContinueExpected = false
        return message
    }

    /// Takes one step; false when more bytes are needed for it. A step that ends in `.start` has finished a request.
    private mutating func advance(_ input: UnsafeRawBufferPointer, _ offset: inout Int) throws(Refusal) -> Bool {
        switch state {
        case .refused(let refusal): throw refusal
        case .start:
            guard let line = try line(input, &offset, limit: limits.requestLine, tooLong: .targetTooLong) else { return false }
            if line.isEmpty {
                // One empty line before a request is forgiven: <https://www.rfc-editor.org/rfc/rfc9112#section-2.2>
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

    /// The next line without its CRLF; `nil` when its end has not come.
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
            guard length <= limits.body else { throw .bodyTooLarge }
            state = .body(remaining: length)
            // Room for what was promised, but no more than a read brings: promises are cheap.
            head.message.request.body.reserveCapacity(min(length, 64 * 1024))
            if length == 0 { state = .start }
        case .chunked: state = .chunkSize
        }
        if case .start = state { return true }
        isContinueExpected = head.expectsContinue && isLast && !head.message.isHTTP10
        return true
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        isContinueExpected = false
        head.message.request.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// <https://www.rfc-editor.org/rfc/rfc9112#section-7.1>
    private mutating func readChunkSize(_ line: UnsafeRawBufferPointer) throws(Refusal) {
        isContinueExpected = false
        var size = 0
        var digits = 0
        while digits < line.count, let value = Byte.hex(line[digits]) {
            guard digits < 8 else { throw .bad("chunk size too long") }
            size = size << 4 | Int(value)
            digits += 1
        }
        guard digits > 0 else { throw .bad("chunk size is not a number") }
        let extensions = UnsafeRawBufferPointer(rebasing: line[digits...])
        guard ChunkExtension.isValid(extensions) else { throw .bad("malformed chunk extension") }
        chunkExtensions += extensions.count
        // Extensions are ignored; a body that consists of them is not.
        guard chunkExtensions <= 4096 else { throw .bad("too many chunk extensions") }
        guard size <= limits.body - head.message.request.body.count else { throw .bodyTooLarge }
        state = size == 0 ? .trailers : .chunk(remaining: size)
    }
}
