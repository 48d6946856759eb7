import Accounts
import Crypto
import HTTP
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The parts of a page about one person, as values of its template.
struct UserParts {
    let visit: ConsoleVisit
    let details: UserDetails

    private var account: Account { details.account }

    /// Who it is.
    func profile() throws -> [String: TemplateValue] {
        [
            "heading": .text(visit.name(of: account)), "uid": .text(visit.shown(account.id)), "email": .text(visit.masked(account.email)),
            "isVerified": .flag(account.emailVerified), "isProven": .flag(account.emailProven),
            "phone": .text(visit.masked(account.phoneNumber)), "displayName": .text(visit.shown(account.displayName)),
            "photo": .text(visit.shown(account.photoURL)), "isDisabled": .flag(account.disabled),
            "isAnonymous": .flag(account.isAnonymous && account.email == nil),
            "password": .text(account.passwordUpdatedAt.map(Timestamp.minute)), "hasLinks": .flag(account.emailLinkSignIn),
            "hasCustomTokens": .flag(account.customAuth), "claims": .text(visit.shown(account.customAttributes)),
            "made": .text(Timestamp.minute(account.createdAt)), "lastSignIn": .text(account.lastLoginAt.map(Timestamp.minute)),
            "lastRefresh": .text(account.lastRefreshAt.map(Timestamp.minute)), "validSince": .text(Timestamp.minute(account.validSince)),
            "initialEmail": .text(visit.masked(account.initialEmail)),
        ]
    }

    /// Identities, second factors and passkeys.
    func waysIn() throws -> [String: TemplateValue] {
        let (factors, mayAdminister) = (account.factors.factors, visit.may(.admin))
        return [
            "hasIdentities": .flag(!account.identities.isEmpty),
            "identities": .list(
                try account.identities.map { identity in
                    let times = details.identityTimes[identity.providerID]
                    return [
                        "provider": visit.way(identity.providerID), "subject": .text(visit.shown(identity.subject)),
                        "identityEmail": .text(visit.masked(identity.email)), "identityName": .text(visit.shown(identity.displayName)),
                        "linked": .text((times?.linked).map(Timestamp.minute)),
                        "identityUsed": .text((times?.lastSignIn).map(Timestamp.minute)),
                        "unlink": .text(mayAdminister ? try visit.userLink(account.id, "/unlink/\(part(identity.providerID))") : ""),
                    ]
                }),
            "hasFactors": .flag(!factors.isEmpty), "recoveryCodes": .text(details.recoveryCodes == 0 ? "" : "\(details.recoveryCodes)"),
            "rememberedBrowsers": .text(details.rememberedBrowsers == 0 ? "" : "\(details.rememberedBrowsers)"),
            "factors": .list(
                try factors.map { factor in
                    [
                        "factor": .text(visit.shown(factor.maskedSummary)),
                        "enrolled": .text(factor.enrolledAt.map(ConsoleVisit.inert)),
                        "removeFactor": .text(
                            mayAdminister && !factor.id.isEmpty ? try visit.userLink(account.id, "/factors/\(part(factor.id))/remove") : ""),
                    ]
                }),
            "hasPasskeys": .flag(!details.passkeys.isEmpty),
            "passkeys": .list(
                try details.passkeys.map { passkey in
                    [
                        "passkey": .text(visit.shown(passkey.displayName ?? passkey.name)),
                        "passkeyMade": .text(Timestamp.minute(passkey.linkedAt)),
                        "passkeyUsed": .text(passkey.lastUsedAt.map(Timestamp.minute)),
                        "isSuspected": .flag(passkey.flaggedAt != nil),
                        "removePasskey": .text(
                            mayAdminister
                                ? try visit.userLink(
                                    account.id, "/passkeys/\(Base64URL.encode(Digest.sha256(passkey.credentialID)))/remove") : ""),
                    ]
                }),
        ]
    }

    /// Sessions, what is counted against limits, and what was done.
    func traces() throws -> [String: TemplateValue] {
        [
            "hasSessions": .flag(!details.sessions.isEmpty),
            "sessions": .list(
                try details.sessions.map { session in
                    [
                        "device": .text(visit.shown(session.userAgent)), "sessionAddress": .text(session.address),
                        "sessionKind": .word("kind" + session.kind.rawValue.capitalizedFirst),
                        "client": .text(session.clientID.map(ConsoleVisit.inert)),
                        "sessionWay": visit.way(session.signInProvider), "began": .text(Timestamp.minute(session.created)),
                        "sessionUsed": .text(Timestamp.minute(session.used)), "hasSecondFactor": .flag(session.hasSecondFactor),
                        "endSession": .text(
                            visit.may(.support) ? try visit.userLink(account.id, "/sessions/\(Hex.encode(session.id))/end") : ""),
                    ]
                }),
            "lastEnding": .text((details.lastEnding?.time).map(Timestamp.minute)),
            "endingReason": .text((details.lastEnding?.reason).map(ConsoleVisit.inert)),
            "hasLimits": .flag(!details.limits.isEmpty),
            "limits": .list(
                details.limits.map { limit in
                    [
                        "limit": .text("\(limit.action.rawValue) \(limit.scope.configKey)"), "rate": .text(limit.rate.description),
                        "refusesUntil": .text(limit.refusesUntil.map(Timestamp.minute)),
                    ]
                }),
            "hasEvents": .flag(!details.events.isEmpty),
            "events": .list(details.events.reversed().map { visit.row(of: $0) }),
            "allEvents": .text(try visit.projectLink("/audit", ["account": UTF8Text(account.id)])),
        ]
    }

    /// The last sign-ins, and those that were refused.
    func signIns() async throws -> [String: TemplateValue] {
        var filter = SignInLogReader.Filter()
        filter.accountID = account.id
        var lines: [SignInLogEntry] = []
        try await visit.accounts.operators.signInLog.read(filter, newest: Self.mostSignIns, in: try visit.project.settings.storageID) {
            lines += $0
        }
        return [
            "hasSignIns": .flag(!lines.isEmpty),
            "signIns": .list(
                lines.reversed().map { line in
                    [
                        "signInTime": .text(Timestamp.minute(line.time)), "signInWay": visit.way(line.provider),
                        "signInEnd": Self.end(of: line), "isRefused": .flag(line.code != nil), "signInNetwork": .text(line.network),
                    ]
                }),
        ]
    }

    private static let mostSignIns = 20

    private static func end(of line: SignInLogEntry) -> TemplateValue {
        if let code = line.code { return RefusalWords.word(code) }
        return switch SignInMetrics.Outcome(exactly: UTF8Text(line.outcome)) {
        case .signedIn: .word("endSignedIn")
        case .created: .word("endCreated")
        case .linked: .word("endLinked")
        case .needsConfirmation: .word("endNeedsConfirmation")
        case .refused, .providerUnavailable, nil: .text(ConsoleVisit.inert(line.outcome))
        }
    }

    /// A name as a part of a path.
    private func part(_ name: String) -> String { Base64URL.encode(Array(name.utf8)) }
}
