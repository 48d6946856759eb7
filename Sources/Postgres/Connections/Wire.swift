import CPostgres
import Glibc

/// One non-blocking libpq connection. It owns the `PGconn` and sends the commands of the pipeline.
///
/// A call that fails means that the connection cannot be used any more. The error contains libpq's reason, with host and user but without
/// a password or values.
struct Wire: ~Copyable {
    struct Broken: Error {
        let reason: String
    }

    enum Progress {
        case waitToRead
        case waitToWrite
        case connected
    }

    enum Incoming {
        /// No complete result has arrived.
        case nothing
        /// libpq's mark between the results of two statements.
        case separator
        case result(ResultSet)
    }

    let raw: OpaquePointer

    /// Starts to connect with libpq's keywords; the first `poll` reports what is wrong with them.
    init(_ keywords: [(name: String, value: String)]) throws(Broken) {
        let raw = withCStrings(keywords.map(\.name)) { names in
            withCStrings(keywords.map(\.value)) { values in PQconnectStartParams(names, values, 0) }
        }
        guard let raw else { throw Broken(reason: "out of memory") }
        self.raw = raw
        // Shows the SQLSTATE of a refusal beside its text, which is in the server's language.
        _ = PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
        // Notices may quote values, and libpq would print them by default.
        _ = PQsetNoticeReceiver(raw, { _, _ in }, nil)
    }

    deinit { PQfinish(raw) }

    /// Changes while connecting; -1 when there is none.
    var socket: Int32 { PQsocket(raw) }

    /// Host, address and port of the server that it is connected to.
    var server: String {
        [PQhost(raw), PQhostaddr(raw), PQport(raw)].map { $0.map { String(cString: $0) } ?? "" }.joined(separator: " ")
    }

    func broken() -> Broken {
        let text = PQerrorMessage(raw).map { String(cString: $0) } ?? ""
        // The location in PostgreSQL's own source code does not help.
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION: ") }
        return Broken(reason: lines.joined(separator: "; "))
    }

    /// Checks the result of a libpq call that returns 1 for success.
    func check(_ code: Int32) throws(Broken) {
        if code != 1 { throw broken() }
    }

    /// Takes the next step of connecting.
    func poll() throws(Broken) -> Progress {
        switch PQconnectPoll(raw) {
        case PGRES_POLLING_READING: return .waitToRead
        case PGRES_POLLING_WRITING: return .waitToWrite
        case PGRES_POLLING_OK: return .connected
        default: throw broken()
        }
    }

    /// Switches a new connection to pipeline mode and non-blocking calls.
    func enterPipeline() throws(Broken) {
        guard PQsetnonblocking(raw, 1) == 0 else { throw broken() }
        try check(PQenterPipelineMode(raw))
    }

    func send(_ command: Pipeline.Command) throws(Broken) {
        switch command {
        case .prepare(let name, let sql):
            let types = sql.values.slots.map(\.type.rawValue)
            try check(PQsendPrepare(raw, name, sql.text, Int32(types.count), types))
        case .execute(let name, let sql):
            try check(
                withParameters(sql.values) { count, _, values, lengths, formats in
                    PQsendQueryPrepared(raw, name, count, values, lengths, formats, 1)
                })
        case .run(let sql):
            try check(
                withParameters(sql.values) { count, types, values, lengths, formats in
                    PQsendQueryParams(raw, sql.text, count, types, values, lengths, formats, 1)
                })
        case .sync:
            try check(PQpipelineSync(raw))
        }
    }

    /// Gives queued bytes to the socket; `false` when some must wait until the socket takes more.
    func flush() throws(Broken) -> Bool {
        switch PQflush(raw) {
        case 0: return true
        case 1: return false
        default: throw broken()
        }
    }

    /// Reads what has arrived.
    func consume() throws(Broken) {
        try check(PQconsumeInput(raw))
    }

    func next() -> Incoming {
        guard PQisBusy(raw) == 0 else { return .nothing }
        guard let result = PQgetResult(raw) else { return .separator }
        return .result(ResultSet(result))
    }

    var reason: String { broken().reason }
}

/// Calls `body` with the C arrays in which libpq takes parameters: count, types, values, lengths, formats (all binary).
private func withParameters(
    _ values: BoundValues,
    _ body: (
        Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Int32
) -> Int32 {
    let count = values.slots.count
    if count == 0 { return body(0, nil, nil, nil, nil) }
    return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { pointers in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * count) { numbers in
            values.bytes.withUnsafeBufferPointer { bytes in
                // An empty value needs an address, too, since a null pointer means NULL.
                let base = bytes.baseAddress.map(UnsafeRawPointer.init) ?? UnsafeRawPointer(pointers.baseAddress)
                for (index, slot) in values.slots.enumerated() {
                    let address = slot.length < 0 ? nil : base.map { $0 + (slot.length == 0 ? 0 : slot.start) }
                    pointers.initializeElement(at: index, to: address?.assumingMemoryBound(to: CChar.self))
                    numbers.initializeElement(at: index, to: Int32(clamping: slot.length))
                    numbers.initializeElement(at: count + index, to: 1)
                    numbers.initializeElement(at: 2 * count + index, to: Int32(bitPattern: slot.type.rawValue))
                }
                guard let lengths = numbers.baseAddress else { return 0 }
                return (lengths + 2 * count).withMemoryRebound(to: Oid.self, capacity: count) { types in
                    body(Int32(count), types, pointers.baseAddress, lengths, lengths + count)
                }
            }
        }
    }
}

/// Calls `body` with a NULL-terminated array of C strings.
func withCStrings<T>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> T) -> T {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
}
