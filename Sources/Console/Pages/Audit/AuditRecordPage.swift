import Accounts
import HTTP
import Identity
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The record of what was done to the accounts of a project: who, what, to whom, from where. The newest entries first.
struct AuditRecordPage: ConsolePage {
    static let path = "/projects/{project}/audit"
    static let place = ConsolePlace.audit

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let filter = AuditEvents.Filter(visit.query)
        let place = visit.query["place"].flatMap { $0.isEmpty ? nil : $0 }
        let action = visit.query["action"]
        var values: [String: TemplateValue] = [
            "action": .text(try visit.projectLink("/audit")), "account": .text(visit.shown(visit.query["account"]?.asString)),
            "actor": .text(ConsoleVisit.inert((visit.query["actor"] ?? "").asString)),
            "since": .text(filter.since == nil ? "" : visit.query["since"]?.asString),
            "until": .text(filter.until == nil ? "" : visit.query["until"]?.asString),
            "actions": .list(
                AuditEvent.Action.allCases.map { known in
                    ["actionName": .text(known.rawValue), "isChosen": .flag(known.rawValue.isExactly(action))]
                }),
        ]
        guard let page = try await visit.accounts.audit.page(filter, from: place, in: try visit.project.settings.storageID) else {
            values["fault"] = .word("faultUnknownPlace")
            return ConsoleView("audit", values, status: 400)
        }
        values["hasEvents"] = .flag(!page.events.isEmpty)
        values["events"] = .list(page.events.map { visit.row(of: $0) })
        values["isUnfinished"] = .flag(page.isUnfinished)
        values["isFurther"] = .flag(place != nil)
        values["first"] = .text(try link(visit, place: nil))
        values["next"] = .text(try page.next.map { try link(visit, place: $0) })
        values["export"] = .text(visit.may(.support) ? try link(visit, place: nil, below: "/audit/export") : "")
        return ConsoleView("audit", values)
    }

    private func link(_ visit: ConsoleVisit, place: String?, below path: String = "/audit") throws -> String {
        var fields = AuditEvents.Filter.fields(of: visit.query)
        if let place { fields.append((name: "place", value: UTF8Text(place))) }
        return try visit.projectLink(path, Form(fields))
    }
}

extension AuditEvents.Filter {
    private static let names: [UTF8Text] = ["account", "action", "actor", "since", "until"]

    /// Reads the filter of a page's address or of a form.
    init(_ form: Form) {
        self.init()
        // No name in the record has characters that cannot be read.
        func text(_ name: UTF8Text) -> String? {
            let text = ProfileText.readable((form[name] ?? "").trimmed.asString)
            return text.isEmpty ? nil : text
        }
        accountID = text("account")
        action = text("action")
        actor = text("actor")
        since = text("since").flatMap { Instant(utc: $0) }
        until = text("until").flatMap { Instant(utc: $0) }
    }

    /// The fields of it that say something.
    static func fields(of form: Form) -> [(name: UTF8Text, value: UTF8Text)] {
        form.fields.filter { names.contains($0.name) && !$0.value.isEmpty }
    }
}

extension ConsoleVisit {
    /// One entry of the record, as a row of a table.
    func row(of event: AuditEvent) -> [String: TemplateValue] {
        [
            "time": .text(Timestamp.text(event.time)), "event": .text(event.action), "actorKind": .text(event.actorKind),
            "actorName": .text(shown(event.actor)), "target": .text(shown(event.accountID)),
            "targetLink": .text(event.accountID.flatMap { try? userLink($0) }), "eventProvider": .text(event.providerID.map(Self.inert)),
            "eventRule": .text(event.rule), "eventAddress": .text(event.address), "eventAgent": .text(shown(event.userAgent)),
            "eventDetails": .text(event.details == "{}" ? "" : shown(event.details)),
        ]
    }
}
