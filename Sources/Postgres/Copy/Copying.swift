import Runtime

extension DatabaseConnection {
    /// The most bytes that are given to libpq before the socket has taken those before.
    private static let piece = 64 << 10

    /// Runs a COPY of `rows` into a table, on a connection that a transaction has leased, and returns when the server has them all.
    func copy(_ rows: CopyRows, by text: String) async throws(PostgresError) {
        guard try await begin(text) == .copyIn else { throw .sql(state: "42601", message: "the statement is not a COPY FROM STDIN") }
        for bytes: [UInt8] in [rows.bytes, CopyRows.end] {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Self.piece)
                try carryOut { () throws(Wire.Broken) in try wire?.put(piece) }
                try await flush()
                rest = rest.dropFirst(piece.count)
            }
        }
        try carryOut { () throws(Wire.Broken) in try wire?.putEnd() }
        try await flush()
        try await finishCopy()
    }

    /// Starts a COPY of a query's rows to here; `nextCopied` gives them.
    func copyOut(by text: String) async throws(PostgresError) {
        guard try await begin(text) == .copyOut else { throw .sql(state: "42601", message: "the statement is not a COPY TO STDOUT") }
    }

    /// The next rows, about 64 KiB of them; none at the end. Nothing is read from the socket between two calls, so that a slow reader holds the
    /// server back.
    func nextCopied() async throws(PostgresError) -> [CopiedRow] {
        if state == .ready { return [] }
        var (rows, size): ([CopiedRow], Int) = ([], 0)
        while size < Self.piece {
            switch try carryOut({ () throws(Wire.Broken) in try wire?.nextCopied() }) {
            case .bytes(var bytes):
                size += bytes.count
                // The header may stand before a row, and the end is a row of -1 fields.
                if bytes.starts(with: CopyRows.signature) { bytes.removeFirst(CopyRows.header.count) }
                if !bytes.isEmpty, bytes != CopyRows.end { rows.append(try CopiedRow(bytes)) }
            case .nothing where !rows.isEmpty: return rows
            case .nothing: try await receiveMore()
            case nil: throw Self.gone
            case .end:
                try await finishCopy()
                return rows
            }
        }
        return rows
    }

    /// Goes on with a COPY whose socket is ready, or whose connection has ended.
    func continueCopy() {
        copyContinues?.resume()
        copyContinues = nil
    }

    /// Ends the connection if a COPY is under way: the rest of it would have to be read.
    func endCopy() {
        if state == .copying { lose("a COPY was not read to its end") }
    }

    /// Sends the statement, and reads its first result.
    private func begin(_ text: String) async throws(PostgresError) -> ResultSet.CopyStatus {
        guard state == .ready else { throw Self.gone }
        precondition(!pipeline.isAwaiting, "a transaction takes one step after another")
        state = .copying
        unwatch()
        try carryOut { () throws(Wire.Broken) in try wire?.begin(text) }
        try await flush()
        guard let result = try await nextResult() else { throw broken("no answer to a COPY") }
        if result.copyStatus == .other { try await finishCopy(after: result) }
        return result.copyStatus
    }

    /// Reads the results that are left, and takes the pipeline up again. Throws the server's error.
    private func finishCopy(after first: ResultSet? = nil) async throws(PostgresError) {
        var refusal = first?.serverError
        while let result = try await nextResult() {
            guard result.isOfCopy else { throw broken("an unexpected answer to a COPY") }
            refusal = refusal ?? result.serverError
        }
        if let refusal, refusal.endsConnection { throw broken("\(refusal.message) (\(refusal.state))") }
        try carryOut { () throws(Wire.Broken) in try wire?.resumePipeline() }
        try watch([.read, .readClosed])
        state = .ready
        if let refusal { throw refusal.publicError }
    }

    private func nextResult() async throws(PostgresError) -> ResultSet? {
        while true {
            switch wire?.next() {
            case .result(let result): return result
            case .separator: return nil
            case nil: throw Self.gone
            case .nothing: try await receiveMore()
            }
        }
    }

    /// Gives all queued bytes to the socket.
    private func flush() async throws(PostgresError) {
        while try carryOut({ () throws(Wire.Broken) in try wire?.flush() }) == false {
            // The server may send something meanwhile, and take nothing before that is read.
            try await awaitSocket([.read, .write])
            try carryOut { () throws(Wire.Broken) in try wire?.consume() }
        }
    }

    private func receiveMore() async throws(PostgresError) {
        try await awaitSocket(.read)
        try carryOut { () throws(Wire.Broken) in try wire?.consume() }
    }

    /// Waits until the socket is ready, as long as a connection may be silent.
    private func awaitSocket(_ interest: Interest) async throws(PostgresError) {
        guard state == .copying else { throw Self.gone }
        try watch(interest)
        let limit = settings.statementTimeout + settings.silence
        let timer = loop.schedule(after: limit) { [weak self] in self?.assumeIsolated { $0.lose("no answer within \(limit)") } }
        await withUnsafeContinuation { copyContinues = $0 }
        loop.cancel(timer)
        guard state == .copying else { throw .unavailable("the connection was lost") }
        unwatch()
    }

    private func watch(_ interest: Interest) throws(PostgresError) {
        guard let descriptor = wire?.socket else { throw Self.gone }
        do throws(SystemError) { try loop.watch(descriptor, for: interest, self) } catch { throw broken(error.description) }
        socket = descriptor
    }

    @discardableResult
    private func carryOut<Value>(_ step: () throws(Wire.Broken) -> Value) throws(PostgresError) -> Value {
        do throws(Wire.Broken) { return try step() } catch { throw broken(error.reason) }
    }

    private func broken(_ reason: String) -> PostgresError {
        lose(reason)
        return .unavailable("the connection was lost: \(reason)")
    }
}
