import CPostgres
import Runtime

// COPY on a libpq connection. A pipeline cannot carry it, so the connection leaves the pipeline for it, and comes back afterwards.
// <https://www.postgresql.org/docs/15/libpq-copy.html>

extension Wire {
    /// A part of what a COPY to the client sends.
    enum Copied {
        /// Nothing complete has arrived.
        case nothing
        /// One or more whole rows, or the header before the first.
        case bytes([UInt8])
        /// The end; a result follows.
        case end
    }

    /// Leaves the pipeline, in which nothing may be under way, and sends a statement that takes no values.
    func begin(_ text: String) throws(Broken) {
        try check(PQexitPipelineMode(raw))
        try check(PQsendQuery(raw, text))
    }

    /// Takes the pipeline up again after the last result.
    func resumePipeline() throws(Broken) { try check(PQenterPipelineMode(raw)) }

    func put(_ bytes: ArraySlice<UInt8>) throws(Broken) {
        try check(
            bytes.withUnsafeBytes { PQputCopyData(raw, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count)) })
    }

    func putEnd() throws(Broken) { try check(PQputCopyEnd(raw, nil)) }

    func nextCopied() throws(Broken) -> Copied {
        var buffer: UnsafeMutablePointer<CChar>?
        let count = PQgetCopyData(raw, &buffer, 1)
        guard count >= 0 else {
            if count == -1 { return .end }
            throw broken()
        }
        guard count > 0, let buffer else { return .nothing }
        defer { PQfreemem(buffer) }
        return .bytes(Array(UnsafeRawBufferPointer(start: buffer, count: Int(count))))
    }
}

extension ResultSet {
    enum CopyStatus { case copyIn, copyOut, other }

    var copyStatus: CopyStatus {
        switch status {
        case PGRES_COPY_IN: .copyIn
        case PGRES_COPY_OUT: .copyOut
        default: .other
        }
    }
}
