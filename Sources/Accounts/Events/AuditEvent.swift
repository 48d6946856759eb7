import Postgres
package import Runtime

/// One entry of the record of what was done to accounts, as it was stored. Another version may have stored it, so its words are texts.
package struct AuditEvent: Sendable {
    package let time: Instant
    /// The name of an `Actor`.
    package let actorKind: String
    /// Which service account or command; `nil` for a person, who is known by the account.
    package let actor: String?
    package let action: String
    package let accountID: String?
    package let providerID: String?
    /// The name of a `LinkingRule`.
    package let rule: String?
    package let address: String?
    package let userAgent: String?
    /// A JSON object as text.
    package let details: String
}

extension AuditEvent {
    /// The act that is recorded. The names stand in the table and in the output of `gatehouse audit list`, so a name is never changed.
    package enum Action: String, Sendable, CaseIterable {
        /// To an account that was there. An account that a provider's sign-in makes has its first identity from its creation.
        case providerLinked = "provider.linked"
        case providerUnlinked = "provider.unlinked"
        case passwordAdded = "password.added"
        case passwordChanged = "password.changed"
        case passwordRemoved = "password.removed"
        case passkeyAdded = "passkey.added"
        case passkeyRemoved = "passkey.removed"
        case passkeyRenamed = "passkey.renamed"
        /// Its authenticator counted backwards, so there may be a copy of it. The sign-in was refused.
        case passkeySuspected = "passkey.suspected"
        case emailLinkAdded = "emailLink.added"
        case emailLinkRemoved = "emailLink.removed"
        /// The owner of the address came; what the account was signed in with until then ended.
        case accountTakenOver = "account.takenOver"
        /// The owner of the address came, and got a new account with it; the back end signs another person in to this one.
        case addressMoved = "address.moved"
        /// By an administrator, or by a person who proved something. An anonymous account is not recorded until it has a way to sign in.
        case accountCreated = "account.created"
        case accountDeleted = "account.deleted"
        case accountDisabled = "account.disabled"
        case accountEnabled = "account.enabled"
        /// The claims that an administrator adds to the person's tokens.
        case claimsChanged = "claims.changed"
        /// Another address, none, or another statement about whether it is verified.
        case emailChanged = "email.changed"
        /// An administrator took away what the account needs besides a first proof of its person.
        case secondFactorsRemoved = "secondFactors.removed"
        /// An administrator gave the account other second factors.
        case secondFactorsChanged = "secondFactors.changed"
        /// By the person, or by the link of the mail that told of its addition; `details` says which.
        case secondFactorAdded = "secondFactor.added"
        case secondFactorRemoved = "secondFactor.removed"
        /// A person who had given a first proof showed a wrong second factor.
        case secondFactorRefused = "secondFactor.refused"
        case secondFactorWarningMailed = "secondFactor.warningMailed"
        /// By the person; endings of sessions and changes of second factors forget them as well, and have records of their own.
        case rememberedDevicesForgotten = "rememberedDevices.forgotten"
        case recoveryCodesMade = "recoveryCodes.made"
        case recoveryCodeUsed = "recoveryCode.used"
        /// It signed in to an account that had long been idle: another person may have it by now.
        case phoneNumberUsedAgain = "phoneNumber.usedAgain"
        case phoneNumberAdded = "phoneNumber.added"
        case phoneNumberChanged = "phoneNumber.changed"
        case phoneNumberRemoved = "phoneNumber.removed"
        /// The name, the picture, or, by an administrator, the times of the beginning and of the last sign-in.
        case profileChanged = "profile.changed"
        /// An import stored or changed accounts; `details` says how many.
        case accountsImported = "accounts.imported"
        /// Firebase's account came just in time.
        case accountImported = "account.imported"
        /// An administrator made, changed or deleted a tenant; `details` says which.
        case tenantCreated = "tenant.created"
        case tenantChanged = "tenant.changed"
        case tenantDeleted = "tenant.deleted"
        /// An administrator got a link that opens the account, or had it mailed.
        case linkMade = "link.made"
        case linkMailed = "link.mailed"
        case sessionsRevoked = "sessions.revoked"
        /// Sessions ended because of something else that the person did; `details` says what, and how many.
        case sessionsEnded = "sessions.ended"
        /// A session of Firebase's goes on here.
        case sessionBridged = "session.bridged"
        /// A back end traded an ID token of the person for a session cookie.
        case sessionCookieCreated = "sessionCookie.created"
        /// A code or a refresh token of a relying party, or a refresh token of an app, came a second time, so its session ended.
        case clientSessionStolen = "clientSession.stolen"
        /// A back end got the tokens that the provider gave for the person.
        case providerTokensGiven = "providerTokens.given"
        /// The person was erased; the record has them by another name from then on (`ErasedNames`).
        case accountErased = "account.erased"
        /// A backup was restored, for all projects; `details` says how many sessions were ended, and how many people erased again.
        case databaseRestored = "database.restored"
        /// An operator forgot what was counted against a person's limits.
        case limitsForgotten = "limits.forgotten"
        case serviceAccountKeyMade = "serviceAccount.keyMade"
        case serviceAccountKeyRevoked = "serviceAccount.keyRevoked"
        case serviceAccountRightsSet = "serviceAccount.rightsSet"
        /// A new signing key is published, for all projects (`AuditEvents.server`). `details` says when it signs, and whether the former ones were
        /// withdrawn.
        case signingKeyRotated = "signingKey.rotated"
        /// An operator took entries of this record away as a file; of one account's, if it is about one.
        case auditExported = "audit.exported"
        /// An operator took everything that is stored of a person away as a file.
        case accountExported = "account.exported"
        /// The server has sealed with the first master key what a former one had sealed, for all projects.
        case masterKeyResealed = "masterKey.resealed"
        /// An operator or a command had waiting mails tried at once, or events sent again; `details` says which kind, and how many.
        case deliveriesRepeated = "deliveries.repeated"
        /// An operator had a mail with made-up values sent to themselves; `details` says which.
        case sampleMailSent = "sampleMail.sent"
        /// An operator had a provider asked whether sign-ins there can succeed; `details` says whether they can.
        case providerChecked = "provider.checked"
        /// A command made an address that opens the console without its provider, for all projects; `details` says why.
        case consoleOpened = "console.opened"
        /// An operator began a session at the console; `details` has the provider's subject, or why the console was opened without it.
        case consoleSignedIn = "console.signedIn"
        /// The address of an operator in the configuration led to a person at the provider, for the first time.
        case operatorBound = "operator.bound"
        /// A command forgot that person.
        case operatorUnbound = "operator.unbound"
        /// An operator added a passkey of their own; `details` has its name and its `second_factor_identifier`, as `Passkey.factorID` makes it.
        case operatorPasskeyAdded = "operator.passkeyAdded"
        /// The operator removed it, or a command did.
        case operatorPasskeyRemoved = "operator.passkeyRemoved"
        /// It was refused, since its authenticator counted backwards: there may be a copy.
        case operatorPasskeySuspected = "operator.passkeySuspected"
    }

    /// Who did it.
    package enum Actor: Sendable, Equatable {
        /// The person whose account it is, or becomes.
        case person
        /// An administrator by a call: the service account's e-mail, or `owner` in development mode.
        case administrator(String)
        /// A command of the command line.
        case command(String)
        /// A hook, by its answer to a sign-in: `beforeCreate` or `beforeSignIn`.
        case hook(String)
        /// An operator at the console, by the name in `gatehouse.yaml`.
        case `operator`(String)

        var kind: String {
            switch self {
            case .person: "person"
            case .administrator: "administrator"
            case .command: "command"
            case .hook: "hook"
            case .operator: "operator"
            }
        }

        var name: String? {
            switch self {
            case .person: nil
            case .administrator(let name), .command(let name), .hook(let name), .operator(let name): name
            }
        }
    }

    static let columns: SQL = "occurred_at, actor_kind, actor, action, account_id, provider_id, rule, address, user_agent, details"

    init(_ row: inout RowReader) throws(PostgresError) {
        time = try row.next()
        actorKind = try row.next()
        actor = try row.next()
        action = try row.next()
        accountID = try row.next()
        providerID = try row.next()
        rule = try row.next()
        address = try row.next()
        userAgent = try row.next()
        details = try row.next()
    }
}
