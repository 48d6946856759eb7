import HTTP
import Text

/// The head of one request, read line by line, and what its fields say about the body.
struct HeadParser {
    enum Framing {
        case none
        case length(Int)
        case chunked
    }

    var message = RequestParser.Message()
    /// The bytes of the field lines so far, trailers included.
    private(set) var size = 0
    private(set) var expectsContinue = false
    private var count = 0
    private var hasHost = false
    private var length: Int?
    private var coding: Coding?
    /// Host and port of an absolute-form target; they replace the Host field.
    private var authority: [UInt8]?

    private enum Coding { case chunked, unknown, malformed }

    /// Prepares for the next request, once `message` has been taken.
    mutating func reset() {
        size = 0
        expectsContinue = false
        count = 0
        hasHost = false
        length = nil
        coding = nil
        authority = nil
    }

    // MARK: Request line

    mutating func readRequestLine(_ line: UnsafeRawBufferPointer) throws(Refusal) {
        guard let first = Byte.index(of: Byte.space, in: line), first > 0 else { throw .bad("malformed request line") }
        let name = UnsafeRawBufferPointer(rebasing: line[..<first])
        let rest = UnsafeRawBufferPointer(rebasing: line[(first + 1)...])
        for byte in name where !Byte.isToken(byte) { throw .bad("method is not a token") }
        guard let second = Byte.index(of: Byte.space, in: rest), second > 0 else { throw .bad("malformed request line") }
        try readVersion(UnsafeRawBufferPointer(rebasing: rest[(second + 1)...]))
        message.request.method = method(name)
        try readTarget(UnsafeRawBufferPointer(rebasing: rest[..<second]))
    }

    private mutating func readVersion(_ version: UnsafeRawBufferPointer) throws(Refusal) {
        guard version.count == 8, Byte.isSame(UnsafeRawBufferPointer(rebasing: version[..<5]), "HTTP/"), version[6] == UInt8(ascii: "."),
            isDigit(version[5]),
            isDigit(version[7])
        else { throw .bad("malformed version") }
        guard version[5] == UInt8(ascii: "1") else { throw .versionUnknown }
        message.isHTTP10 = version[7] == UInt8(ascii: "0")
        message.keepsAlive = !message.isHTTP10
    }

    private func method(_ name: UnsafeRawBufferPointer) -> Method {
        if Byte.isSame(name, "GET") { return .get }
        if Byte.isSame(name, "POST") { return .post }
        if Byte.isSame(name, "OPTIONS") { return .options }
        if Byte.isSame(name, "HEAD") { return .head }
        if Byte.isSame(name, "PUT") { return .put }
        if Byte.isSame(name, "PATCH") { return .patch }
        if Byte.isSame(name, "DELETE") { return .delete }
        return .other(String(decoding: name, as: UTF8.self))
    }

    /// <https://www.rfc-editor.org/rfc/rfc9112#section-3.2>
    private mutating func readTarget(_ target: UnsafeRawBufferPointer) throws(Refusal) {
        if target[0] == UInt8(ascii: "/") { return try readPath(target) }
        if message.request.method == .other("CONNECT") { throw .methodUnknown }
        if target.count == 1, target[0] == UInt8(ascii: "*"), message.request.method == .options {
            message.request.path = "*"
            return
        }
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .bad("target is not printable") }
        let schemes: [StaticString] = ["http://", "https://"]
        guard
            let scheme = schemes.first(where: {
                target.count > $0.utf8CodeUnitCount && Byte.equal(UnsafeRawBufferPointer(rebasing: target[..<$0.utf8CodeUnitCount]), $0)
            })
        else { throw .bad("target is neither a path nor a URL") }
        let start = scheme.utf8CodeUnitCount
        let end = target[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.count
        let authority = UnsafeRawBufferPointer(rebasing: target[start..<end])
        guard Authority.isValid(authority) else { throw .bad("malformed host in the target") }
        self.authority = Array(authority)
        if end < target.count, target[end] == UInt8(ascii: "/") { return try readPath(UnsafeRawBufferPointer(rebasing: target[end...])) }
        let path = [UInt8(ascii: "/")] + target[end...]
        try path.withUnsafeBufferPointer { path throws(Refusal) in try readPath(UnsafeRawBufferPointer(path)) }
    }

    private mutating func readPath(_ target: UnsafeRawBufferPointer) throws(Refusal) {
        guard let (path, query) = CanonicalPath.parse(target) else { throw .bad("path without a canonical form") }
        message.request.path = path
        message.request.query = query
    }

    // MARK: Fields

    mutating func readField(_ line: UnsafeRawBufferPointer, _ limits: RequestParser.Limits) throws(Refusal) {
        let (name, value, isDropped) = try split(line, limits)
        if isDropped { return }
        switch name.count {
        case 4 where Byte.equal(name, "host"):
            guard !hasHost else { throw .bad("more than one Host") }
            // Nothing is decided by it here (SEC-07).
            guard Authority.isValid(value) else { throw .bad("malformed Host") }
            hasHost = true
            if let authority { return authority.withUnsafeBytes { message.request.headers.append(name: name, value: $0) } }
        case 6 where Byte.equal(name, "expect"):
            guard Byte.equal(value, "100-continue") else { throw .expectationUnknown }
            expectsContinue = true
        case 10 where Byte.equal(name, "connection"): readConnection(value)
        case 14 where Byte.equal(name, "content-length"):
            guard length == nil else { throw .bad("more than one Content-Length") }
            length = try number(value)
        case 17 where Byte.equal(name, "transfer-encoding"):
            coding = coding == nil ? read(coding: value) : .malformed
            // The body in memory is not chunked any more.
            return
        default: break
        }
        message.request.headers.append(name: name, value: value)
    }

    mutating func skipTrailer(_ line: UnsafeRawBufferPointer, _ limits: RequestParser.Limits) throws(Refusal) {
        _ = try split(line, limits)
    }

    private mutating func split(
        _ line: UnsafeRawBufferPointer, _ limits: RequestParser.Limits
    ) throws(Refusal) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, isDropped: Bool) {
        size += line.count + 2
        count += 1
        guard size <= limits.headerBlock, count <= limits.headerCount else { throw .headersTooLarge }
        var colon = 0
        var hasUnderscore = false
        while colon < line.count, Byte.isToken(line[colon]) {
            hasUnderscore = hasUnderscore || line[colon] == UInt8(ascii: "_")
            colon += 1
        }
        // This also finds a folded line, which starts with a space.
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { throw .bad("malformed field name") }
        let value = Byte.trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        guard Byte.areFieldContent(value) else { throw .bad("control character in a field") }
        return (UnsafeRawBufferPointer(rebasing: line[..<colon]), value, hasUnderscore)
    }

    private mutating func readConnection(_ value: UnsafeRawBufferPointer) {
        for option in value.split(separator: UInt8(ascii: ",")) {
            let option = Byte.trimmed(UnsafeRawBufferPointer(rebasing: option))
            if Byte.equal(option, "close") { message.keepsAlive = false }
            if message.isHTTP10, Byte.equal(option, "keep-alive") { message.keepsAlive = true }
        }
    }

    /// One decimal number without sign, list or leading zeros.
    private func number(_ value: UnsafeRawBufferPointer) throws(Refusal) -> Int {
        guard (1...18).contains(value.count), value.allSatisfy(isDigit), value.count == 1 || value[0] != UInt8(ascii: "0") else {
            throw .bad("malformed Content-Length")
        }
        return value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private func read(coding value: UnsafeRawBufferPointer) -> Coding {
        if Byte.equal(value, "chunked") { return .chunked }
        return !value.isEmpty && value.allSatisfy(Byte.isToken) ? .unknown : .malformed
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    // MARK: Body

    /// <https://www.rfc-editor.org/rfc/rfc9112#section-6.3>
    func framing() throws(Refusal) -> Framing {
        guard hasHost || message.isHTTP10 else { throw .bad("no Host") }
        if let coding {
            guard length == nil else { throw .bad("Transfer-Encoding beside Content-Length") }
            guard !message.isHTTP10 else { throw .bad("Transfer-Encoding in HTTP/1.0") }
            switch coding {
            case .chunked: return .chunked
            case .unknown: throw .codingUnknown
            case .malformed: throw .bad("malformed Transfer-Encoding")
            }
        }
        return length.map(Framing.length) ?? .none
    }
}
