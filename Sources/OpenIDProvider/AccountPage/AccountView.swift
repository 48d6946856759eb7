import Accounts
import Crypto
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web
import WebAuthn

/// Renders the account page. It works without scripts, except for the making of a passkey.
extension AccountVisit {
    func show(note: Note?) async throws -> Response {
        let account = session.account
        let factors = settings.multiFactor
        let (entries, devices) = try await accounts.openID.ownSessions.list(in: session, of: settings)
        let passkeys = try await accounts.passkeys.registrations.list(of: account, in: settings)
        let left = try await accounts.secondFactors.recoveryCodes.left(of: account.id, in: settings)
        var values: [String: TemplateValue] = [
            "action": .text(path), "name": .text(account.email ?? account.displayName ?? account.phoneNumber ?? account.id),
            "factors": .list(account.factors.factors.map(Self.item)), "hasFactors": .flag(!account.factors.isEmpty),
            "passkeys": .list(passkeys.map(Self.item)), "hasPasskeys": .flag(!passkeys.isEmpty),
            "sessions": .list(entries.map(item)), "hasOthers": .flag(entries.contains { $0.id != session.session.id }),
            "providers": .list(account.identities.map(item)), "hasProviders": .flag(!account.identities.isEmpty),
            "devices": .text(devices == 0 ? nil : "\(devices)"),
        ]
        if factors.recoveryCodes, !account.factors.isEmpty {
            values["codes"] = .word(left == 0 ? "noCodes" : "codes", ["left": .text("\(left)")])
        }
        if factors.offersTOTP { values["enrolLink"] = .text(path + "?page=enrol") }
        let mayAdd = offersPasskeys
        if mayAdd { values["passkeyLink"] = .text(path + "?page=passkey") }
        // Nothing but the passkeys opens the account, and a link by mail does not either: its person loses it with them.
        values["isUnrecoverable"] = .flag(
            !passkeys.isEmpty && !account.hasPassword && !account.emailVerified && account.identities.isEmpty
                && account.phoneNumber == nil)
        if let note { values["notice"] = .word(note.rawValue) }
        guard mayAdd else { return project.templates.page("account", in: language, values, allowing: .forms) }
        return project.templates.page(
            "account", in: language, values, allowing: [.forms, .scripts, .passkeys], script: PageScript.passkey.link,
            data: accepted(passkeys))
    }

    /// Whether passkeys can be made at the address at which the browser has the page.
    private var offersPasskeys: Bool {
        settings.passkeys?.takes(site.ownName(context.request) ?? site.publicURL) ?? false
    }

    /// The facts that the browser is told, so that it offers no passkey that was removed, and shows the present name.
    private func accepted(_ passkeys: [Passkey]) -> JSON {
        guard let rpID = settings.passkeys?.rpID, let handle = session.account.userHandle else { return [:] }
        let (user, shown): (JSON, _) = (.string(UTF8Text(Base64URL.encode(handle))), session.account.passkeyUser)
        return [
            "accepted": [
                "rpId": .string(UTF8Text(rpID)), "userId": user,
                "allAcceptedCredentialIds": .array(passkeys.map { .string(UTF8Text($0.id)) }),
            ],
            "details": [
                "rpId": .string(UTF8Text(rpID)), "userId": user, "name": .string(UTF8Text(shown.name)),
                "displayName": .string(UTF8Text(shown.displayName)),
            ],
        ]
    }

    private func item(_ identity: LinkedIdentity) -> [String: TemplateValue] {
        ["name": .text(project.name(ofProvider: identity.providerID) ?? identity.providerID), "email": .text(identity.email)]
    }

    private static func item(_ factor: SecondFactors.Factor) -> [String: TemplateValue] {
        var item: [String: TemplateValue] = ["id": .text(factor.id), "given": .text(factor.displayName)]
        switch factor.kind {
        case .totp: item["kind"] = .word("app")
        case .phone: item["kind"] = .word("phone", ["number": .text(factor.maskedNumber)])
        case .other: item["kind"] = .word("otherFactor")
        }
        if let time = factor.enrolledAt.flatMap({ Instant(utc: $0.prefix(19) + "Z") }) {
            item["since"] = .word("since", ["time": .text(Timestamp.minute(time))])
        }
        return item
    }

    private static func item(_ passkey: Passkey) -> [String: TemplateValue] {
        var item: [String: TemplateValue] = [
            "id": .text(passkey.id), "field": .text("name-\(Hex.encode(Array(Digest.sha256(passkey.credentialID).prefix(4))))"),
            "name": .text(passkey.name), "since": .word("since", ["time": .text(Timestamp.minute(passkey.linkedAt))]),
            "isSynced": .flag(passkey.isBackedUp), "isSuspected": .flag(passkey.flaggedAt != nil),
        ]
        if let time = passkey.lastUsedAt { item["used"] = .word("used", ["time": .text(Timestamp.minute(time))]) }
        return item
    }

    private func item(_ entry: OwnSessions.Entry) -> [String: TemplateValue] {
        let isThis = entry.id == session.session.id
        var item: [String: TemplateValue] = [
            "id": .text(entry.name), "isThis": .flag(isThis), "isOther": .flag(!isThis), "agent": .text(entry.userAgent),
            "used": .word("used", ["time": .text(Timestamp.minute(entry.usedAt))]),
        ]
        let client = entry.clientID.flatMap { settings.openIDProvider?.client(id: UTF8Text($0))?.name ?? $0 }
        switch entry.kind {
        case .app: item["kind"] = .word("appSession")
        case .browser: item["kind"] = .word("browserSession")
        case .client: item["kind"] = .word("clientSession", ["client": .text(client)])
        }
        return item
    }

    /// The page with a new secret for an authenticator app.
    func showEnrolment(_ fault: FormFault? = nil) async throws -> Response {
        do throws(AccountError) {
            return show(try await accounts.secondFactors.enrollments.startTOTP(in: session, of: settings), fault)
        } catch {
            // The page says why.
            guard case .secondFactor(.emailUnverified) = error else { throw error }
            return show(nil, nil)
        }
    }

    func show(_ started: FactorEnrollments.StartedTOTP?, _ fault: FormFault?) -> Response {
        var values: [String: TemplateValue] = [
            "action": .text(path + "?page=enrol"), "heading": .word("heading"), "backLink": .text(path), "hasFaults": .flag(fault != nil),
        ]
        if let fault {
            values["faults"] = .list([["field": .text(fault.field), "text": fault.text]])
            if let field = fault.field { values[field + "Fault"] = fault.text }
        }
        values.addEnrolment(started, for: session.account, project)
        return project.templates.page("enrol", in: language, values, status: fault?.status ?? 200, allowing: .forms)
    }

    /// The page at which the browser makes a passkey.
    func showPasskey() async throws -> Response {
        guard offersPasskeys else { return go() }
        let options = try await accounts.passkeys.registrations.start(idToken, in: settings, from: client)
        let values: [String: TemplateValue] = [
            "action": .text(path), "heading": .word("heading"), "backLink": .text(path), "hasPasskey": true, "isNew": true,
        ]
        return project.templates.page(
            "passkey", in: language, values, allowing: [.forms, .scripts, .passkeys], script: PageScript.passkey.link,
            data: ["create": options.json])
    }

    /// The page for a person who has signed out, or did not sign in.
    static func signedOut(_ project: Project, _ request: Request) -> Response {
        project.templates.page(
            "signedOut", in: project.templates.language(for: request), ["link": .text(IssuerPaths.account(project.settings.addressName))])
    }
}
