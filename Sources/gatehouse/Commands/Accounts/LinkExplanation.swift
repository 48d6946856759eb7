import Accounts
import Identity
import JSON
import ProjectSettings
import Providers
import Web

/// The output of `gatehouse explain-link`: a decision, and everything that it was made of.
struct LinkExplanation {
    let preview: LinkingPreview
    let supposed: SupposedSignIn
    let settings: ProjectSettings

    init(_ preview: LinkingPreview, of supposed: SupposedSignIn, settings: ProjectSettings) {
        self.preview = preview
        self.supposed = supposed
        self.settings = settings
    }

    private var identity: ProviderIdentity { preview.identity }
    private var changes: [String] { preview.decision.action.changes(with: identity) }

    /// The code of the error that the app gets; `nil` when the sign-in is not refused.
    private var code: String? {
        if case .refuse(let refusal) = preview.decision.action { Failure(describing: refusal.error).code } else { nil }
    }

    var text: String {
        let accounts = settings.signIn.oneAccountPerEmail ? "one account for each address" : "separate accounts for one address"
        var lines = [
            "identity:   \(identity.subject) of \(identity.providerID)\(identity.tenant.map { ", tenant \($0)" } ?? "")",
            "address:    \(identity.email.map { "\($0), \(trust)" } ?? "none")",
            "policy:     \(settings.signIn.linking.rawValue), \(accounts), \(settings.signIn.signUp ? "open" : "closed") to new accounts",
            "known as:   \(preview.candidates.owner.map(Self.describe) ?? "no account has this identity")",
            "address of: \(preview.candidates.accountOfAddress.map(Self.describe) ?? "no account has this address")",
        ]
        lines += supposed.unanswered.map { "note:       the rules asked for \($0), which the file does not have; they went on without it" }
        if !supposed.isAdmitted {
            lines.append("note:       the claims have no iss, so the entry's rules about tenants, policies and domains were not asked")
        }
        lines += supposed.unread.map { "note:       no rule asked for \($0), so it was not read" }
        lines += [
            "decision:   \(preview.decision.action.name)\(code.map { ", the app gets \($0)" } ?? "")",
            "rule:       \(preview.decision.rule.rawValue)",
            "why:        \(preview.decision.rule.explanation)",
        ]
        lines += changes.isEmpty ? ["written:    nothing"] : changes.map { "written:    \($0)" }
        return lines.map(CommandSupport.visible).joined(separator: "\n")
    }

    private var trust: String {
        switch (identity.emailVerified, identity.emailAuthoritative) {
        case (_, true): "proven by the provider"
        case (true, false): "verified by the provider's word, which does not prove it here"
        case (false, false): "not verified by the provider"
        }
    }

    private static func describe(_ account: Account) -> String {
        let proof = account.email.map {
            ", \($0) \(account.emailProven ? "proven" : account.emailVerified ? "verified, not proven" : "not verified")"
        }
        return "account \(account.id)\(proof ?? ""), ways to sign in: \(account.waysToSignIn)"
            + (account.disabled ? ", disabled" : "")
    }

    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("decision", preview.decision.action.name)
            writer.field("code", code)
            writer.field("rule", preview.decision.rule.rawValue)
            writer.field("why", preview.decision.rule.explanation)
            writer.array("written") { writer in for change in changes { writer.value(change) } }
            writer.object("identity") { writer in
                writer.field("providerId", identity.providerID)
                writer.field("subject", identity.subject)
                writer.field("tenant", identity.tenant)
                writer.field("email", identity.email)
                writer.field("emailVerified", identity.emailVerified)
                writer.field("emailAuthoritative", identity.emailAuthoritative)
            }
            writer.object("policy") { writer in
                writer.field("linking", settings.signIn.linking.rawValue)
                writer.field("oneAccountPerEmail", settings.signIn.oneAccountPerEmail)
                writer.field("signUp", settings.signIn.signUp)
            }
            Self.write(preview.candidates.owner, "accountOfIdentity", to: &writer)
            Self.write(preview.candidates.accountOfAddress, "accountOfAddress", to: &writer)
            writer.array("unanswered") { writer in for path in supposed.unanswered { writer.value(path) } }
            writer.array("unread") { writer in for path in supposed.unread { writer.value(path) } }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ account: Account?, _ name: String, to writer: inout JSONWriter) {
        guard let account else { return }
        writer.object(name) { writer in
            writer.field("localId", account.id)
            writer.field("email", account.email)
            writer.field("emailVerified", account.emailVerified)
            writer.field("emailProven", account.emailProven)
            writer.field("disabled", account.disabled)
            writer.array("providers") { writer in for provider in account.signInProviders { writer.value(provider) } }
            writer.field("customAuth", account.customAuth)
        }
    }
}

extension LinkingDecision.Action {
    /// Its name in the output of commands.
    fileprivate var name: String {
        switch self {
        case .signIn: "signIn"
        case .create: "create"
        case .moveAddress: "moveAddress"
        case .join: "join"
        case .takeOver: "takeOver"
        case .link: "link"
        case .confirm: "needConfirmation"
        case .refuse: "refuse"
        }
    }

    /// A sentence for each change that it writes; empty when it writes nothing.
    fileprivate func changes(with identity: ProviderIdentity) -> [String] {
        let linked = "Identity \(identity.subject) of \(identity.providerID) is linked to it, and the audit events say so."
        let session = "It gets a session."
        switch self {
        case .refuse, .confirm: return []
        case .signIn(let account): return ["Account \(account.id) gets a session.", "What its identity says of the person is stored anew."]
        case .create(let email):
            let proof = identity.emailAuthoritative ? "proven" : "not proven"
            let address = email.map { "with the address \($0), \(proof)" } ?? "without an address"
            return [
                "A new account is made \(address).", "Identity \(identity.subject) of \(identity.providerID) is linked to it.", session,
            ]
        case .moveAddress(let account):
            return [
                "Account \(account.id) loses its address, with password and links in mails, and keeps everything else.",
                "A new account is made with the address, proven.",
                "Identity \(identity.subject) of \(identity.providerID) is linked to it.", session,
                "The audit events say what the former account lost.",
            ]
        case .join(let account): return ["Account \(account.id) gets the identity.", linked, session]
        case .link(let account): return ["Account \(account.id) is the caller's own.", linked, session]
        case .takeOver(let account, _):
            return [
                "Account \(account.id) loses its ways to sign in (\(account.waysToSignIn)).",
                "Its name and photo become the provider's, and its sessions and codes in mails end.", linked, session,
            ]
        }
    }
}

extension Account {
    /// The providers by which it signs in, and custom tokens.
    fileprivate var waysToSignIn: String {
        let ways = signInProviders + (customAuth ? ["custom tokens"] : [])
        return ways.isEmpty ? "none" : ways.joined(separator: ", ")
    }
}
