import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// Gives entries of the record as a file, one JSON object a line: those that a filter leaves, the newest ones.
struct ExportAudit: ConsoleAct {
    static let path = "/projects/{project}/audit/export"
    static let place = ConsolePlace.audit
    static let role = Operator.Role.support

    /// The most entries of one file. The command line has no such bound.
    private static let most = 10_000

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let fields = ["account", "action", "actor", "since", "until"].map { name in
            ConsoleField(name, .optional, value: visit.query[UTF8Text(name)]?.asString ?? "")
        }
        return ConsoleConfirmation(
            "exportAudit", ["most": .text("\(Self.most)")], fields: fields,
            path: [ConsoleView.Crumb(name: .word("placeAudit"), link: try visit.projectLink("/audit"))],
            cancel: try visit.projectLink("/audit"))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let project = try visit.project.settings
        var lines: [UInt8] = []
        try await visit.accounts.audit.export(
            AuditEvents.Filter(form), newest: Self.most, at: visit.now, by: try visit.administrator
        ) { events in
            for event in events { lines += event.json.utf8 + [UInt8(ascii: "\n")] }
        }
        return .file(name: "audit-\(project.addressName).jsonl", type: "application/x-ndjson", lines)
    }
}
