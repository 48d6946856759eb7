import Accounts
import Glibc
import JSON
import Runtime

/// The accounts that an import refuses, in a file beside the source: one JSON object on each line. It is made with the first of them, for its owner
/// alone, and replaces that of an earlier run.
final class RejectedRows {
    let path: String
    private var file: OutputFile?

    /// Throws before anything is imported when the file could not be made.
    init(of origin: ImportOrigin) throws {
        path = origin.path + ".rejected.jsonl"
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let folder = "a folder that the user \(Self.user) can write to"
            throw Failed(
                "nothing was imported: the file of refused accounts, \(path), cannot be written (\(SystemError("open"))). "
                    + (origin.isFile ? "Move \(origin.path) to \(folder)" : "Run the command in \(folder)"))
        }
        Glibc.close(descriptor)
        unlink(path)
    }

    func add(_ fault: ImportFault) throws {
        let file = try file ?? OutputFile(new: path)
        self.file = file
        try file.write(Array(fault.line.utf8))
    }

    func close() throws { try file?.close() }

    /// The name of the user that the command runs as, or the number where it has no name.
    private static var user: String {
        guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else { return "\(geteuid())" }
        return String(cString: name)
    }
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
