import Accounts
import ArgumentParser
import JSON
import ProjectSettings
import Projects
import Runtime
import Server
import Text

/// `gatehouse tenants`: the tenants of a project.
struct TenantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenants", abstract: "List the tenants of a project.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the tenants of a project: those of files, and those that calls have made.")

        @OptionGroup var common: CommonOptions

        @Argument(.project)
        var project: String

        @Flag(help: "Print one JSON object for each tenant.")
        var json = false

        func run() async throws {
            let configuration = try common.soundConfiguration()
            let project = try configuration.named(project)
            guard let tenants = project.tenants else {
                throw Failed("the project \(self.project) has no tenants: it has neither a folder of their files nor dynamicTenants: true")
            }
            var all = tenants.all
            if tenants.template != nil {
                try await CommandSupport.withDatabase(common) { database, _ in
                    let rows = try await TenantRows(database: database, clock: .system).changed(since: nil, of: project.settings.id)
                    all += rows.filter { !$0.isDeleted && tenants.tenant(UTF8Text($0.id)) == nil }.compactMap { row in
                        TenantRecord(row.settings).flatMap { project.tenant(row.id, $0) }
                    }
                }
            }
            all.sort { $0.settings.storageID < $1.settings.storageID }
            if json {
                Terminal.write(all.map { $0.tenantJSON + "\n" }.joined())
            } else {
                var table = Table("TENANT", "NAME", "FROM", "SIGN-IN")
                table.print(
                    all.map { tenant in
                        [
                            tenant.settings.tenant?.id ?? "", CommandSupport.visible(tenant.settings.tenant?.displayName ?? ""),
                            tenant.fileName ?? "a call", tenant.isEnabled ? tenant.waysToSignIn.joined(separator: ", ") : "switched off",
                        ]
                    })
            }
            guard !configuration.faultyFiles.isEmpty else { return }
            throw Failed("\(configuration.faultyFiles.joined(separator: ", ")) not listed, for its faults: gatehouse check names them")
        }
    }
}

extension Project {
    fileprivate var isEnabled: Bool { settings.tenant?.enabled != false }

    fileprivate var tenantJSON: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("tenant", settings.tenant?.id)
            writer.field("displayName", settings.tenant?.displayName)
            writer.field("file", fileName)
            writer.field("enabled", isEnabled)
            writer.array("signIn") { writer in for name in waysToSignIn { writer.value(name) } }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
