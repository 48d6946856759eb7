import Accounts
import HTTP
import Identity
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The page of `EmulatorPage`: lists, or a form for a new account or for a link that signs in.
struct EmulatorView {
    /// Seconds until a list loads itself again.
    private static let interval = 3
    /// The most accounts, mails and text messages that are shown.
    private static let most = 50
    private static let style = """

        main{width:min(60rem,100vw - 2rem)}
        .rows{list-style:none;margin:0 0 1rem;padding:0}
        .rows li{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;padding:.5rem 0;border-top:1px solid #7d879b66}
        .rows .grow{flex:1 1 20rem}
        .rows small{display:block}
        .rows form{margin:0}
        .rows button,.rows .button{padding:.2rem .7rem;font-size:.875rem}
        nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0 0 1rem}
        """

    private let project: Project
    private let context: Context

    init(_ project: Project, _ context: Context) {
        self.project = project
        self.context = context
    }

    /// - Parameters:
    ///   - query: what the address of the page says, or the form that was refused: `do` is `add` or `link` for a form.
    ///   - fault: why the form was refused.
    func page(showing query: Form, fault: Failure?) async throws -> Response {
        var values: [String: TemplateValue] = [
            "id": .text(project.settings.id), "action": .text(EmulatorPage.route.path), "list": .text(link()),
            "fault": .text(fault.map { [$0.code, $0.detail].compactMap(\.self).joined(separator: ": ") }),
            "projects": .list(projects.map { ["name": .text($0), "link": .text(link(of: $0))] }),
            "email": .text(ProfileText.readable((query["email"] ?? "").asString)),
            "displayName": .text(ProfileText.readable((query["displayName"] ?? "").asString)),
            "continueUrl": .text(ProfileText.readable((query["continueUrl"] ?? "http://localhost:3000/").asString)),
        ]
        switch query["do"] {
        case "add": values["isAdd"] = true
        case "link": values["isLink"] = true
        default: values.merge(try await lists(isLive: query["live"] != "off" && fault == nil)) { $1 }
        }
        return project.templates.page(
            "emulator", in: project.templates.language(for: context.request), values, status: fault == nil ? 200 : 400,
            allowing: [.forms, .origin],
            moreStyle: Self.style)
    }

    private func lists(isLive: Bool) async throws -> [String: TemplateValue] {
        let accounts = context.services.accounts
        let newest = try await accounts.directory.newest(Self.most, in: project.settings)
        let mails = try await context.services.accounts.outbox?.recent(in: project.settings, limit: Self.most) ?? []
        let messages = try await accounts.phoneCodes.recent(in: project.settings).prefix(Self.most)
        let usable = try await accounts.codes.pending(mails, in: project.settings)
        return [
            "isList": true, "refresh": .text(isLive ? "\(Self.interval)" : ""), "isStill": .flag(!isLive),
            "stop": .text(link(["live": "off"])), "add": .text(link(["do": "add"])), "most": .text("\(Self.most)"),
            "hasAccounts": .flag(!newest.isEmpty), "accounts": .list(newest.map(row)),
            "hasMails": .flag(!mails.isEmpty),
            "mails": .list(mails.map { mail in row(mail, code: usable.first { $0.mail == mail }?.code) }),
            "hasMessages": .flag(!messages.isEmpty),
            "messages": .list(messages.map { ["to": .text($0.to), "kind": .text($0.purpose), "code": .text($0.code)] }),
        ]
    }

    private func row(_ account: Account) -> [String: TemplateValue] {
        let email = account.email ?? ""
        return [
            "account": .text(account.id), "name": .text(email.isEmpty ? account.displayName ?? account.id : email),
            "displayName": .text(email.isEmpty ? "" : account.displayName),
            "ways": .text(account.signInProviders.joined(separator: ", ")),
            "isAnonymous": .flag(account.isAnonymous), "isVerified": .flag(account.emailVerified), "isDisabled": .flag(account.disabled),
            "created": .text(Timestamp.minute(account.createdAt)), "claims": .text(account.customAttributes.map(ProfileText.readable)),
            "linkForm": .text(email.isEmpty ? "" : link(["do": "link", "email": UTF8Text(email)])),
        ]
    }

    /// - Parameter code: of its link, while the code works.
    private func row(_ mail: OutgoingMail, code: String?) -> [String: TemplateValue] {
        let digits = mail.oneTimeCode
        return [
            "to": .text(mail.to), "kind": .text(mail.kind.rawValue), "link": .text(code == nil ? "" : mail.link),
            "code": .text(code ?? digits), "isUsed": .flag(code == nil && digits == nil),
        ]
    }

    /// The ids of the other projects.
    private var projects: [String] {
        context.services.projects.current.all.map(\.settings.id).filter { $0 != project.settings.id }.sorted()
    }

    private func link(of id: String? = nil, _ fields: Form = [:]) -> String {
        let all = [(name: "project" as UTF8Text, value: UTF8Text(id ?? project.settings.id))] + fields.fields
        return "\(EmulatorPage.route.path)?\(Form(all).encoded())"
    }

    private func link(_ fields: Form) -> String { link(of: nil, fields) }
}
