import Accounts
import Crypto
import HTTP
import JSON
import Pages
import Runtime
import Text
import Web
import WebAuthn

/// The operator's own passkeys.
struct PasskeysPage: ConsolePage {
    static let path = "/passkeys"
    static let place = ConsolePlace.passkeys

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let site = visit.console.settings.passkeySite
        guard let person = visit.session.person else { return ConsoleView("passkeys", ["obstacle": .word("noOwnPasskeys")]) }
        let passkeys = try await visit.accounts.operators.passkeys.list(of: person)
        return ConsoleView(
            "passkeys",
            [
                "obstacle": site == nil ? .word("noPasskeySite") : "",
                "add": .text(site == nil ? "" : visit.link(AddPasskey.path)), "hasPasskeys": .flag(!passkeys.isEmpty),
                "passkeys": .list(
                    passkeys.map { passkey in
                        let isHere = passkey.rpID.isExactly(site?.rpID)
                        return [
                            "passkey": .text(ConsoleVisit.inert(passkey.name)), "added": .text(Timestamp.minute(passkey.createdAt)),
                            "used": .text(passkey.lastUsedAt.map(Timestamp.minute)), "isSuspected": .flag(passkey.flaggedAt != nil),
                            "site": .text(isHere ? "" : passkey.rpID),
                            "remove": .text(visit.link("/passkeys/\(Base64URL.encode(Digest.sha256(passkey.credentialID)))/remove")),
                        ]
                    }),
            ])
    }
}

/// Adds a passkey, which the browser makes, to the operator's own. It takes a sign-in at the provider: what adds ways in must not come from one of
/// them alone.
struct AddPasskey: ConsoleAct {
    static let path = "/passkeys/add"
    static let place = ConsolePlace.passkeys
    static let role = Operator.Role.viewer
    static let isOwn = true

    static func obstacle(_ visit: ConsoleVisit) -> ConsoleView? {
        guard !visit.session.isBreakGlass else { return .refused(.noOwnPasskeys) }
        guard visit.console.settings.passkeySite != nil else { return .refused(.noPasskeySite) }
        return visit.session.isFreshAtProvider(at: visit.now) ? nil : visit.signInAtProvider
    }

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let options = try await visit.accounts.operators.passkeys.start(in: visit.session, at: try site(visit))
        let data: JSON = ["create": options.json]
        var asked = ConsoleConfirmation("addPasskey", ["data": .text(data.text())], cancel: visit.link(PasskeysPage.path))
        asked.template = "addPasskey"
        asked.asksForPasskeys = true
        return asked
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let given = (form["name"] ?? "").trimmed.prefix(bytes: OperatorPasskeys.longestName).asString
        let answer = try? JSON.parse((form["credential"] ?? "").asString)
        try await visit.accounts.operators.passkeys.add(
            answer, named: given.isEmpty ? Passkey.defaultName : given, in: visit.session, at: try site(visit), by: visit.act)
        return .goes(to: visit.link(PasskeysPage.path), note: "added")
    }

    private func site(_ visit: ConsoleVisit) throws(Failure) -> OperatorPasskeys.Site {
        guard let site = visit.console.settings.passkeySite else { throw .notFound }
        return site
    }
}

/// Removes one of the operator's own passkeys. The path has a digest of its id, which may be longer than a path.
struct RemovePasskey: ConsoleAct {
    static let path = "/passkeys/{passkey}/remove"
    static let place = ConsolePlace.passkeys
    static let role = Operator.Role.viewer
    static let isOwn = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let passkey = try await passkey(visit)
        return ConsoleConfirmation(
            "removePasskey", ["details": .list([["detail": .text(ConsoleVisit.inert(passkey.name))]])],
            cancel: visit.link(PasskeysPage.path))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        guard let person = visit.session.person,
            try await visit.accounts.operators.passkeys.remove(try await passkey(visit).credentialID, of: person, by: visit.act)
        else { throw Failure.notFound }
        return .goes(to: visit.link(PasskeysPage.path), note: "removed")
    }

    private func passkey(_ visit: ConsoleVisit) async throws -> OperatorPasskey {
        guard let person = visit.session.person else { throw Failure.notFound }
        let digest = Base64URL.decodeStrict(visit.parameter("passkey").asString)
        let own = try await visit.accounts.operators.passkeys.list(of: person)
        guard let passkey = own.first(where: { Digest.sha256($0.credentialID) == digest }) else { throw Failure.notFound }
        return passkey
    }
}
