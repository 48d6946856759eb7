import Accounts
import Crypto
import HTTP
import Pages
import ProjectSettings
import Projects
import Providers
import Runtime
import Text
import Web

/// One person: what is stored of them, why they can or cannot sign in, and what an operator can do. It shows no hash, no secret, no token and no link
/// that opens anything (SEC-64).
struct OneUserPage: ConsolePage {
    static let path = "/projects/{project}/users/{user}"
    static let place = ConsolePlace.users

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let project = try visit.project
        guard let details = try await visit.accounts.administration.users.details(of: try visit.userID, by: try visit.administrator) else {
            throw Failure.notFound
        }
        let parts = UserParts(visit: visit, details: details)
        var values = try parts.profile()
        values.merge(try parts.waysIn()) { $1 }
        values.merge(try parts.traces()) { $1 }
        values.merge(try await parts.signIns()) { $1 }
        values.merge(try acts(details.account, visit)) { $1 }
        values["diagnosis"] = .list(
            SignInDiagnosis(details, providers(of: project), in: project.settings).ways.map { way in
                [
                    "diagnosed": visit.way(way.name), "isOpen": .flag(way.obstacle == nil),
                    "obstacle": way.obstacle?.word ?? "",
                    "conditions": .list(way.conditions.map { ["condition": $0.word { visit.shown($0) }] }),
                ]
            })
        return ConsoleView("user", values, path: try visit.path())
    }

    private func providers(of project: Project) -> SignInDiagnosis.Providers {
        let off = project.configuredProviders.filter { !$0.enabled }
        return SignInDiagnosis.Providers(switchedOn: Set(project.orderedProviders.map(\.id)), switchedOff: Set(off.map(\.id)))
    }

    /// The links to the pages of confirmation, as far as the operator's role goes.
    private func acts(_ account: Account, _ visit: ConsoleVisit) throws -> [String: TemplateValue] {
        var acts: [(word: String, rest: String)] = []
        if visit.may(.support) {
            acts.append(account.disabled ? ("actEnable", "/enable") : ("actDisable", "/disable"))
            acts.append(("actEndSessions", "/sessions/end"))
            if account.email != nil, !account.disabled {
                acts.append(("actResetMail", "/mail/resetPassword"))
                if !account.emailVerified { acts.append(("actVerifyMail", "/mail/verifyEmail")) }
            }
        }
        if visit.may(.admin) {
            acts.append(("actClaims", "/claims"))
            acts.append(("actExport", "/export"))
            acts.append(("actDelete", "/delete"))
        }
        return [
            "hasActs": .flag(!acts.isEmpty),
            "acts": .list(try acts.map { ["act": .word($0.word), "actLink": .text(try visit.userLink(account.id, $0.rest))] }),
        ]
    }
}
