import Accounts
import Glibc
import JSON

/// The accounts that an import refuses, in a file beside the source: one JSON object on each line. It is made with the first of them, for its owner
/// alone, and replaces that of an earlier run.
final class RejectedRows {
    let path: String
    private var file: OutputFile?

    init(of source: String) {
        path = source + ".rejected.jsonl"
        unlink(path)
    }

    func add(_ fault: ImportFault) throws {
        let file = try file ?? OutputFile(new: path)
        self.file = file
        try file.write(Array(fault.line.utf8))
    }

    func close() throws { try file?.close() }
}

extension ImportFault {
    fileprivate var line: String {
        JSONWriter.line { json in
            json.field("line", Int64(place))
            json.field("uid", accountID)
            json.field("code", code.rawValue)
            json.field("message", message)
        }
    }
}
