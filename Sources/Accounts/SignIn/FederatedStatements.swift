import Identity
import Postgres
import ProjectSettings
import Runtime
import Text

/// The statements of a federated sign-in, and the same changes to the account in memory.
extension Account {
    /// Refuses a proof from before the account's sessions were ended: it opens the account no more. Throws `invalidPendingToken`.
    func checkProof(from provenAt: Instant?) throws(AccountError) {
        guard let provenAt else { return }
        guard takesProof(from: provenAt) else { throw .invalidPendingToken }
    }

    /// Notes the time of a sign-in that has given its first proof. The last sign-in of an account with second factors is the last one that also
    /// passed one.
    mutating func noteFirstProof(at now: Instant) { if secondFactors == nil { lastLoginAt = now } }

    init(_ id: String, new identity: ProviderIdentity, email: String?, at now: Instant) {
        self.init(id: id, at: now)
        self.email = email
        emailVerified = email != nil && identity.emailVerified
        emailProven = email != nil && identity.emailAuthoritative
        displayName = identity.displayName
        photoURL = identity.photoURL
    }

    /// Takes over the profile of the identity that joins, where the account has none. A takeover replaces what the maker wrote.
    mutating func join(_ identity: ProviderIdentity, takeover: Bool, oneAccountPerEmail: Bool, at now: Instant) {
        let isOwners = emailProven || awaitsItsOwner
        if takeover { clearForTakeover(at: now) }
        noteFirstProof(at: now)
        // An account of the same proven address gets the parts that it lacks.
        if takeover || isOwners && identity.emailAuthoritative && identity.email == email {
            displayName = displayName ?? identity.displayName
            photoURL = photoURL ?? identity.photoURL
        }
        if email == nil, oneAccountPerEmail { email = identity.email }
        guard email != nil, email == identity.email else { return }
        emailVerified = emailVerified || identity.emailVerified || takeover
        emailProven = emailProven || identity.emailAuthoritative
    }

    /// Removes everything that the account's maker put there before the owner of the address came, and every way to sign in. Custom claims
    /// come from an administrator, and stay, as the profile of an account does that only administrators have written in. Its phone number goes
    /// in any case: it is a way to sign in at an app's back end, and no person has proven here that it is theirs. An account that custom tokens
    /// open is not taken over (`AddressMove.swift`).
    mutating func clearForTakeover(at now: Instant) {
        if hasBeenUsed { clearProfile() }
        phoneNumber = nil
        passwordUpdatedAt = nil
        emailLinkSignIn = false
        identities = []
        passkeys = []
        endTokens(at: now)
    }

    /// Puts the identity into the account in memory, as its statement puts it into the table.
    mutating func remember(_ identity: ProviderIdentity) {
        let earlier = self.identity(of: identity.providerID)
        identities.removeAll { $0.providerID == identity.providerID }
        identities.append(
            LinkedIdentity(
                providerID: identity.providerID, subject: identity.subject, email: identity.email,
                emailVerified: identity.emailVerified,
                displayName: identity.displayName ?? (identity.saysNameOnce ? earlier?.displayName : nil), photoURL: identity.photoURL,
                screenName: identity.screenName))
        identities.sort { $0.providerID < $1.providerID }
    }

    func recordSignIn(in project: ProjectSettings) -> SQL {
        .required(
            """
            UPDATE accounts SET last_login_at = \(lastLoginAt)
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT disabled AND \(sessionsStand) RETURNING account_id
            """)
    }

    /// Only under the issuer that the provider is pinned to (`ProviderIssuers`).
    func insert(_ identity: ProviderIdentity, in project: ProjectSettings, at now: Instant) -> SQL {
        .required(
            """
            INSERT INTO identities (project_id, provider_id, subject, account_id, alias, tenant, email, email_verified,
                display_name, photo_url, screen_name, linked_at, last_sign_in_at, linked_unproven)
            SELECT project_id, provider_id, \(identity.subject), \(id), \(identity.alias), \(identity.tenant),
                \(identity.email), \(identity.emailVerified), \(identity.displayName), \(identity.photoURL), \(identity.screenName),
                \(now), \(now), \(email != nil && !emailProven)
            FROM provider_issuers
            WHERE project_id = \(project: project) AND provider_id = \(identity.providerID) AND issuer = \(identity.issuer) RETURNING subject
            """)
    }

    /// Updates a linked identity, if it is still linked, with what the provider says now. The subject stays as it was stored, unless an import
    /// stored another name of the person.
    func refresh(_ identity: ProviderIdentity, in project: ProjectSettings, at now: Instant) -> SQL {
        let isImported = identity.importedSubject.map { self.identity(of: identity.providerID)?.subject.isExactly($0) ?? false } ?? false
        let names: SQL =
            isImported ? "subject = \(identity.subject), alias = \(identity.alias), tenant = \(identity.tenant), " : ""
        return .required(
            """
            UPDATE identities SET \(names)email = \(identity.email), email_verified = \(identity.emailVerified),
                display_name = COALESCE(\(identity.displayName), CASE WHEN \(identity.saysNameOnce) THEN display_name END),
                photo_url = \(identity.photoURL), screen_name = \(identity.screenName), last_sign_in_at = \(now)
            WHERE project_id = \(project: project) AND provider_id = \(identity.providerID) AND account_id = \(id)
                AND (subject = ANY(\(identity.names)) OR alias = ANY(\(identity.names))) RETURNING subject
            """)
    }

    /// Ends the identities, codes and sessions that exist when the owner of an address takes this account over, and records it where it
    /// was another person's.
    func revokeForTakeover(_ act: AuditedAct, in project: ProjectSettings, at now: Instant) -> [SQL] {
        var events: [AccountEvent] = []
        if hasBeenUsed { events.append(AccountEvent(.accountTakenOver)) }
        if phoneNumber != nil { events.append(AccountEvent(.phoneNumberChanged)) }
        return act.records(of: events, in: project) + act.unlinkAll(where: "true", in: project) + [
            deleteCodes(.all, in: project),
            act.endSessions(of: self, because: "account taken over by the owner of its address", in: project),
        ]
    }
}
