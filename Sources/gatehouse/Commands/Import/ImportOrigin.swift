import Glibc
import Migration
import Runtime

/// The place that the accounts of an import come from.
struct ImportOrigin {
    /// The subcommand, for audit events.
    let kind: String
    /// The place as sentences name it.
    let name: String
    /// The path beside which the refused accounts are written.
    let path: String
    let usualMails: ImportRules.Mails
    /// The source from its beginning. It is called once for each reading, with the time of the import.
    let source: (Instant) throws -> any AccountSource
    /// The things that the place has beside accounts, where it can be asked.
    var survey: FirebaseSurvey?
    /// `nil` where it does not matter which accounts the place does not have any more.
    var gone: GoneAccounts.Rule?

    /// Whether the path is that of a file with the accounts.
    var isFile: Bool { survey == nil }
}

extension ImportOrigin {
    /// Throws unless the file can be read twice.
    init(
        file: String, kind: String, usualMails: ImportRules.Mails = .proven, _ source: @escaping (Instant) throws -> any AccountSource
    ) throws {
        var status = stat()
        if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw Failed("\(file) must be a file, and not a pipe or a directory: it is read twice")
        }
        self.init(kind: kind, name: file, path: file, usualMails: usualMails, source: source)
    }
}
