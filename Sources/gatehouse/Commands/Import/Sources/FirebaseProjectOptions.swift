import ArgumentParser
import Migration
import ProjectSettings
import Runtime
import Server

/// The options by which an operator names a Firebase project to import from.
struct FirebaseProjectOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The Firebase project to ask, by its id, such as acme-prod.", valueName: "google-project"))
    var from: String?

    @Option(help: "The tenant of the Firebase project whose accounts are asked for; those of the project itself without it.")
    var tenant: String?

    @Option(
        help: "The key file of a service account that has the role Firebase Authentication Admin in the Firebase project.",
        completion: .file(extensions: ["json"]))
    var serviceAccount: String?

    @Option(
        help: "Write what Google answers into a new file, readable for its owner alone. It has the password hashes.",
        completion: .file())
    var keep: String?

    @Flag(
        help: "Delete accounts that an import has made, when the Firebase project does not have them any more and they are unchanged here.")
    var delete = false

    func validate() throws {
        if let tenant, tenant.isEmpty || !FirebaseSurveyor.isTenant(tenant) {
            throw ValidationError("--tenant needs the id of a tenant at Firebase, such as customer-a-x1y2z.")
        }
        guard let from else { return }
        if !ProjectSettings.isID(from) { throw ValidationError("--from needs the id of a Firebase project, such as acme-prod.") }
        if serviceAccount == nil { throw ValidationError("--from needs --service-account, the key file of a service account.") }
    }

    /// Throws unless none of these options is there.
    func requireNone() throws {
        guard serviceAccount == nil, keep == nil, tenant == nil, !delete else {
            throw ValidationError("--service-account, --tenant, --keep and --delete are about a Firebase project; name it with --from.")
        }
    }

    /// - Parameter hashes: what the operator says about the password hashes; `nil` to take what Google says.
    func origin(_ common: CommonOptions, kind: String, hashes: HashParameters?) async throws -> ImportOrigin {
        guard let from, let serviceAccount else { throw Failed("no Firebase project is named") }
        let client = try CommandSupport.client(dialling: try common.serverSettings().dialPolicy, on: try Loop(index: 0))
        let calls = GoogleCalls(
            projectID: from, account: try GoogleServiceAccount(path: serviceAccount), upstream: client, access: GoogleAccess(),
            clock: .system)
        let attempts = GoogleAttempts(tell: { failure, pause in
            Progress.interrupt(CommandSupport.visible("\(failure); the next attempt is in \(pause.wholeSeconds) s"))
        })
        let survey: FirebaseSurvey
        do { survey = try await FirebaseSurveyor(calls, attempts, tenant: tenant).survey() } catch {
            throw Failed("nothing was imported: \(error)")
        }
        let pages = try keep.map(KeptPages.init)
        return ImportOrigin(
            kind: kind, name: tenant.map { "the tenant \($0) of the Firebase project \(from)" } ?? "the Firebase project \(from)",
            path: from, usualMails: .proven,
            source: { _ in
                FirebaseProjectSource(calls, attempts, tenant: tenant, hashes: hashes ?? survey.hashes, keep: pages?.nextReading())
            },
            survey: survey, gone: delete ? .delete : .count)
    }
}

/// The file of the pages that Google has given: one JSON document after another, those of the first reading.
private final class KeptPages {
    private let file: OutputFile
    private var isRead = false

    init(_ path: String) throws { file = try OutputFile(new: path) }

    /// Keeps the pages of one reading; `nil` when those of a reading before are kept.
    func nextReading() -> FirebaseProjectSource.Keep? {
        if isRead { return nil }
        isRead = true
        return { [file] page throws(SourceFailure) in
            do {
                try file.write(page + [UInt8(ascii: "\n")])
                // A page at a time, so that the file is complete when the reading is.
                try file.close()
            } catch { throw SourceFailure("\(error)") }
        }
    }
}
