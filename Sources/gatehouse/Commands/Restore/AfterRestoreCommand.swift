import Accounts
import ArgumentParser
import Postgres
import Runtime
import Server

/// `gatehouse after-restore`: brings a database that was restored from a backup into order.
struct AfterRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "after-restore", abstract: "Bring a restored database into order, before the server starts.",
        discussion: """
            A backup is an older state: sessions that were ended since are open again, and people who were erased since are there again. The \
            command erases these people again, by the file erasures.path of gatehouse.yaml. It can be repeated.
            """)

    enum Sessions: String, ExpressibleByArgument, CaseIterable { case end, keep }

    @OptionGroup var common: CommonOptions

    @Option(
        help: """
            end: all people sign in again, as after an incident. keep: people stay signed in; also those whose sessions were ended since the backup.
            """)
    var sessions: Sessions

    func run() async throws {
        let settings = try common.serverSettings()
        let entries = try settings.erasures.map { try ErasureFile($0).entries() } ?? []
        try await CommandSupport.withDatabase(common) { database, masterKey in
            let restored = RestoredDatabase(database: database, clock: .system)
            let search = ErasureSearch(database: database, masterKey: masterKey)
            let erasure = CommandSupport.accounts(settings, database).administration.erasure
            let last = Dictionary(entries.map { ($0.key, $0.time) }, uniquingKeysWith: max)
            var (ended, erased) = (0, 0)
            for project in try await KnownProjects(database: database).list() {
                if sessions == .end { ended += try await restored.endSessions(in: project) }
                let names = Set(entries.filter { $0.project == project }.map(\.account))
                if names.isEmpty { continue }
                let administrator = CommandSupport.administrator("after-restore", ofProject: project)
                for person in try await search.find(names, in: project) {
                    let time = last[ErasureFile.Entry.Key(project: project, account: person.name)]
                    let isErased = try await erasure.erase(
                        person.id, because: "erased before the restore", erasedAt: time, by: administrator)
                    if isErased { erased += 1 }
                }
            }
            if sessions == .end { try await restored.endOperatorSessions() }
            try await restored.record(
                endedSessions: ended, erased: erased, by: CommandSupport.administrator("after-restore", ofProject: AuditEvents.server))
            print(sessions == .end ? "\(ended) sessions ended. All people sign in again." : "Sessions are as they were in the backup.")
            print("\(erased) of \(last.count) erased people were there again, and were erased.")
            if settings.erasures == nil { CommandSupport.remark("gatehouse.yaml names no file of erasures (erasures.path).") }
        }
    }
}
