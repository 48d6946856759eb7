import HTTP
import Runtime
import Text

/// Writes one JSON line for each request; the lines of a turn are written together at its end. A line has no query, no header and no
/// address, so nothing in it must be hidden.
final class AccessLog {
    /// Takes whole lines and their number, and must not wait.
    typealias Write = @Sendable (UnsafeRawBufferPointer, Int) -> Void

    private let lines = ByteBuffer(capacity: 16 * 1024)
    /// The number of lines in `lines`.
    private var count = 0
    private let write: Write
    private let loop: Loop
    /// The last route in the log and its text, since under load the same route often comes many times in a row.
    private var last: (route: String, text: [UInt8]) = ("", [UInt8(ascii: "-")])
    private var flushAtEnd: () -> Void = {}

    init(loop: Loop, write: @escaping Write) {
        self.loop = loop
        self.write = write
        // Made once: a closure for each turn would be an allocation for each turn.
        flushAtEnd = { [unowned self] in flush() }
    }

    func record(
        _ method: Method?, route: String, status: Int, microseconds: UInt64, id: RequestID, bytes: Int, at time: borrowing ServerTime,
        _ now: MonotonicTime
    ) {
        if lines.count == 0 { loop.atEndOfTurn(flushAtEnd) }
        lines.append("{\"time\":\"")
        lines.append(time.timestamp)
        let milliseconds = time.milliseconds(now)
        lines.append(milliseconds < 10 ? ".00" : milliseconds < 100 ? ".0" : ".")
        lines.append(decimal: milliseconds)
        lines.append("Z\",\"method\":\"")
        lines.append(method.map(Self.name) ?? "-")
        lines.append("\",\"route\":\"")
        append(route)
        lines.append("\",\"status\":")
        lines.append(decimal: status)
        lines.append(",\"us\":")
        lines.append(decimal: Int(clamping: microseconds))
        lines.append(",\"id\":\"")
        lines.append(hex: id.value)
        lines.append("\",\"bytes\":")
        lines.append(decimal: bytes)
        lines.append("}\n")
        count += 1
        if lines.count > 256 * 1024 { flush() }
    }

    /// Routes are patterns from the code, so they need no escapes. A route that does need one is written as `-`.
    private func append(_ route: String) {
        if route != last.route {
            let isPlain = !route.isEmpty && route.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            last = (route, isPlain ? Array(route.utf8) : [UInt8(ascii: "-")])
        }
        lines.append(last.text)
    }

    private func flush() {
        write(lines.bytes, count)
        lines.removeAll()
        count = 0
    }

    private static func name(_ method: Method) -> StaticString {
        switch method {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: "other"
        }
    }
}
