import Accounts
import HTTP
import Identity
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The rate limits of a project, what they refused, and the way to let a person try again.
struct LimitsPage: ConsolePage {
    static let path = "/projects/{project}/limits"
    static let place = ConsolePlace.limits

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let limits = try visit.project.settings.limits
        let rows = LimitedAction.allCases.flatMap { action in
            action.standard.compactMap { scope, _ -> [String: TemplateValue]? in
                guard let rate = limits[action, scope] else { return nil }
                return ["action": .text(action.rawValue), "scope": .text(scope.rawValue), "rate": .text("\(rate)")]
            }
        }
        let refusals = LimitRefusals(
            signIns: try await visit.signInsOfDay(onlyRefused: true),
            calls: visit.accounts.limits.refusals.counts(in: try visit.project.settings))
        return ConsoleView(
            "limits",
            [
                "limits": .list(rows), "hasRefusals": .flag(!refusals.rows.isEmpty), "refusals": .list(refusals.rows),
                "started": .text(Timestamp.minute(visit.console.facts.startedAt)),
                "forget": .text(visit.may(ForgetLimits.role) ? try visit.projectLink("/limits/forget") : ""),
            ])
    }
}

/// How often limits of a project have refused something: sign-ins by the log of sign-ins, calls of all kinds by what this process has counted.
struct LimitRefusals {
    let signIns: [Refusals.Limit: Int]
    let calls: [Refusals.Limit: Int]

    /// - Parameter signIns: refused sign-ins, of which those count that a limit refused.
    init(signIns: [SignInLogReader.Total], calls: [Refusals.Limit: Int]) {
        self.signIns = signIns.reduce(into: [:]) { found, total in
            if let limit = total.code.flatMap(Refusals.Limit.init(code:)) { found[limit, default: 0] += total.count }
        }
        self.calls = calls
    }

    /// Those that refused the most first.
    var rows: [[String: TemplateValue]] {
        let limits = Set(signIns.keys).union(calls.keys).map { limit in
            (limit: limit, count: max(signIns[limit] ?? 0, calls[limit] ?? 0), name: "\(limit.action.rawValue) \(limit.scope.rawValue)")
        }
        return limits.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.map { limit, _, _ in
            [
                "action": .text(limit.action.rawValue), "scope": .text(limit.scope.rawValue),
                "signIns": .text("\(signIns[limit] ?? 0)"), "calls": .text("\(calls[limit] ?? 0)"),
            ]
        }
    }
}

/// Forgets what was counted against one person: the rule of `gatehouse limits forget`.
struct ForgetLimits: ConsoleAct {
    static let path = "/projects/{project}/limits/forget"
    static let place = ConsolePlace.limits
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        ConsoleConfirmation(
            "forgetLimits",
            fields: [
                ConsoleField("person", value: visit.query["person"]?.asString ?? ""),
                ConsoleField("client", .optional),
            ],
            cancel: try visit.projectLink("/limits"))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let (administrator, text) = (try visit.administrator, (form["person"] ?? "").trimmed)
        let id = text.asString
        let email = EmailAddress.canonical(id)
        var wanted = AccountLists.Wanted()
        if let email { wanted.emails = [email] } else { wanted.ids = [id] }
        let found = try await visit.accounts.administration.lists.find(wanted, by: administrator).first?.account
        if email == nil, found == nil { throw AccountError.accountNotFound }
        let client = (form["client"] ?? "").trimmed
        let address = Address(client.asString)
        if !client.isEmpty, address == nil { throw ConsoleFault("faultClient") }
        let person = LimitedPerson(
            accountID: found?.id, email: found?.email ?? email, phoneNumber: found?.phoneNumber, address: address?.limitKey.description)
        let hash = found == nil ? email.map { visit.accounts.addressHashes.hash(of: $0, in: administrator.project.storageID) } : nil
        _ = try await visit.accounts.limits.forget(person, on: found?.id, emailHash: hash, by: administrator)
        return .goes(to: try visit.projectLink("/limits"), note: "forgotten")
    }
}
