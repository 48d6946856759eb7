import Accounts
import Postgres
import Projects
import Runtime

/// The findings about a database, and whether it has this binary's schema, without which nothing in it can be read.
package struct LiveDatabase: Sendable {
    package var findings: [Finding] = []
    package var holdsOurSchema = false
    /// The work that `gatehouse migrate` would do; `nil` when there is none.
    package var pending: String?
}

/// Examines the database as a server needs it.
struct DatabaseChecks {
    let configuration: Configuration
    let clock: Clock

    private var settings: ServerSettings { configuration.server }

    /// The part of the examination that says whether a server can work on the database.
    func examineEssentials(_ database: Database) async -> LiveDatabase {
        var live = LiveDatabase()
        do {
            try await database.verifySessions()
            do throws(MigrationError) {
                try await settings.schema.verify(database)
                live.holdsOurSchema = true
            } catch {
                guard case .behind = error else { throw error }
                live.pending = "\(error)"
            }
            live.findings = try await MasterKeyFindings.findings(database, settings, clock)
            if live.holdsOurSchema { live.findings += try await issuerFindings(database) + siteFindings(database) }
            live.findings += DatabaseFindings.findings(try await database.startupFacts(clock), settings)
        } catch let error as MigrationError {
            live.findings.append(
                StartFailure.databaseReason(error).map(Self.unreachable)
                    ?? .fault("database.schema", "\(error)", "a server with this binary does not start"))
        } catch {
            live.findings.append(Self.unreachable(StartFailure.databaseReason(error) ?? StartFailure.text(error)))
        }
        return live
    }

    /// libpq refuses a server for writes with these words.
    private static let readOnly = ["session is read-only", "server is in hot standby mode"]

    private static func unreachable(_ text: String) -> Finding {
        guard !readOnly.contains(where: text.contains) else {
            return .fault("database.readOnly", text, "let the URL lead to the primary, and allow writes there")
        }
        return .fault("database.unreachable", text, Remedies.database(text))
    }

    func examine(_ database: Database) async -> LiveDatabase {
        var live = await examineEssentials(database)
        if let pending = live.pending {
            live.findings.insert(.fault("database.schema", pending, "a server with this binary does not start before that"), at: 0)
        }
        guard live.pending != nil || live.holdsOurSchema else { return live }
        do {
            live.findings += findings(of: try await database.state())
            let inspection = Inspection(database: database, masterKey: settings.masterKey, clock: clock)
            live.findings += Self.findings(of: try await inspection.distribution())
        } catch {
            live.findings.append(Self.unreachable(StartFailure.databaseReason(error) ?? StartFailure.text(error)))
        }
        return live
    }

    private func findings(of state: ServerState) -> [Finding] {
        var findings: [Finding] = []
        if state.encoding != "UTF8" {
            findings.append(
                .fault(
                    "database.encoding", "The database stores texts as \(state.encoding), which has no place for most names",
                    "make it anew with ENCODING UTF8, and restore a dump into it"))
        }
        if state.isolation != "read committed" {
            findings.append(
                .fault(
                    "database.isolation", "default_transaction_isolation is \(state.isolation), with which sign-ins fail that meet others",
                    "set it to read committed for this database and this role"))
        }
        // The database of a developer may be fast rather than safe, and its role may own all of it.
        let isForPeople = !settings.development
        if isForPeople, !state.fsync || !state.fullPageWrites {
            findings.append(
                .fault(
                    "database.durability", "fsync or full_page_writes is off, so a power failure can destroy the database",
                    "switch both on in postgresql.conf"))
        }
        if isForPeople, state.synchronousCommit == "off" {
            findings.append(
                .warning(
                    "database.commits", "synchronous_commit is off, so a crash can undo what people were told is done",
                    "set it to on for this database"))
        }
        if !state.autovacuum || !state.tablesWithoutVacuum.isEmpty {
            let tables = state.autovacuum ? "for " + state.tablesWithoutVacuum.joined(separator: ", ") : "for the whole server"
            findings.append(
                .fault(
                    "database.vacuum", "autovacuum is off \(tables), so tables grow and grow slow",
                    state.autovacuum ? "ALTER TABLE … RESET (autovacuum_enabled)" : "switch it on in postgresql.conf"))
        }
        if !state.invalidIndexes.isEmpty {
            findings.append(
                .fault(
                    "database.indexes", "Indexes that are not valid: \(state.invalidIndexes.joined(separator: ", "))",
                    "REINDEX INDEX CONCURRENTLY each of them"))
        }
        if state.sortRulesChanged {
            findings.append(
                .fault(
                    "database.collation",
                    "An update of the machine changed how texts are sorted, so indexes may not find what is there",
                    "REINDEX DATABASE and ALTER DATABASE … REFRESH COLLATION VERSION"))
        }
        if isForPeople, state.isSuperuser {
            findings.append(
                .warning(
                    "database.role", "The server's role is a superuser of PostgreSQL",
                    "give it a role of its own that owns only this database"))
        }
        return findings
    }

    private static func findings(of distribution: Distribution?) -> [Finding] {
        func finding(_ tables: [String], _ text: String, _ call: String) -> Finding? {
            guard !tables.isEmpty else { return nil }
            return .fault(
                "database.distribution", "\(text): \(tables.joined(separator: ", "))", "call \(call) for each, see docs/scaling.md")
        }
        return [
            finding(
                distribution?.notTogether ?? [], "Tables that are not distributed by project_id together with accounts",
                "create_distributed_table"),
            finding(
                distribution?.notEverywhere ?? [], "Tables that are not reference tables, which every node has", "create_reference_table"),
        ].compactMap(\.self)
    }

    /// Projects whose people have passkeys for another site.
    private func siteFindings(_ database: Database) async throws -> [Finding] {
        try await FrozenSites.conflicts(configuration.projects.realms, database).map {
            .fault("database.passkeys", FrozenSites.sentence($0), "a server does not start with this passkeys.rpId")
        }
    }

    /// Providers whose people are stored under another issuer.
    private func issuerFindings(_ database: Database) async throws -> [Finding] {
        try await PinnedIssuers.conflicts(configuration.projects.realms, database).map {
            .fault("database.issuer", PinnedIssuers.sentence($0), "a server does not start with this entry")
        }
    }
}
