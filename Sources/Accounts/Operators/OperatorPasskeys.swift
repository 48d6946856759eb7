import Crypto
package import JSON
package import Postgres
import Runtime
import Text
package import WebAuthn

/// The passkeys of operators, by which they sign in at the console as they do at the provider.
///
/// A passkey belongs to the person at the provider (`OperatorPerson`), not to a name in the configuration: who is not an operator any more opens
/// nothing with it (SEC-65). Challenges are not stored. Each is bound to the browser that got it, by its session or by a cookie, lasts for ten
/// minutes, and is spent with its first good answer.
package struct OperatorPasskeys: Sendable {
    /// The most passkeys that a person may have.
    package static let limit = 10
    /// The longest name of one, in bytes.
    package static let longestName = 100

    let storage: Storage
    let clock: Clock
    /// The first one makes challenges, all are accepted.
    let keys: [[UInt8]]

    /// The console as browsers and authenticators know it.
    package struct Site: Sendable {
        /// Its host name, for which passkeys are made.
        package let rpID: String
        /// Scheme, host and port of its pages.
        package let origin: String

        package init(rpID: String, origin: String) {
            self.rpID = rpID
            self.origin = origin
        }
    }

    /// The passkeys of a person, the oldest first.
    package func list(of person: OperatorPerson) async throws(AccountError) -> [OperatorPasskey] {
        let rows = try await storage.read(
            """
            SELECT \(OperatorPasskey.columns) FROM operator_passkeys WHERE issuer = \(person.issuer) AND subject = \(person.subject)
            ORDER BY created_at, credential_id
            """)
        return try reading {
            try rows.map { row throws(PostgresError) in
                var row = row.reader()
                return try OperatorPasskey(&row)
            }
        }
    }

    /// How many passkeys people have, for the command that lists operators.
    package static func counts(in database: Database) async throws(AccountError) -> [(person: OperatorPerson, count: Int)] {
        let rows = try await Storage(database: database).read(
            "SELECT issuer, subject, count(*) FROM operator_passkeys GROUP BY issuer, subject ORDER BY issuer, subject")
        var counts: [(person: OperatorPerson, count: Int)] = []
        for row in rows {
            var row = row.reader()
            try reading {
                counts.append((OperatorPerson(issuer: try row.next(), subject: try row.next()), Int(try row.next(as: Int64.self))))
            }
        }
        return counts
    }

    /// The options with which the browser of the session makes a passkey. Nothing is stored.
    ///
    /// Throws `passkeysNotEnabled` for a session without a person, and `passkeyLimitReached`.
    package func start(in session: OperatorSession, at site: Site) async throws(AccountError) -> CreationOptions {
        let person = try session.provenPerson
        let own = try await list(of: person)
        guard own.count < Self.limit else { throw .passkeyLimitReached }
        let challenge = Challenge.make(.registration, for: context(session, person, site), key: keys.first ?? [], at: clock.now())
        return CreationOptions(
            rpID: site.rpID, rpName: "Gatehouse",
            user: CreationOptions.User(handle: userHandle(of: person), name: session.operatorName, displayName: session.operatorName),
            challenge: challenge.bytes,
            excluded: own.filter { $0.rpID.isExactly(site.rpID) }.map { CredentialDescriptor(id: $0.credentialID, transports: []) })
    }

    /// Stores the passkey that the browser has made, and records it.
    ///
    /// Throws `passkeysNotEnabled`, `passkeyResponseMissing`, `passkeyChallengeRefused`, `passkeyRefused`, `passkeyTaken` and `passkeyLimitReached`;
    /// `conflict` where the session has ended.
    package func add(
        _ response: JSON?, named name: String, in session: OperatorSession, at site: Site, by act: OperatorAct
    ) async throws(AccountError) {
        let person = try session.provenPerson
        let rules = rules([.registration], for: context(session, person, site), at: site)
        let new = try checking { () throws(CeremonyError) in try RegistrationResponse(response).verified(by: rules) }
        guard try await list(of: person).count < Self.limit else { throw .passkeyLimitReached }
        let now = clock.now()
        // It locks the session first, so that the command that ends the person's sessions finds the passkey.
        let insert: SQL = .required(
            """
            INSERT INTO operator_passkeys (credential_id, issuer, subject, operator, rp_id, user_handle, public_key, sign_count,
                backup_eligible, name, created_at)
            SELECT \(new.id), \(person.issuer), \(person.subject), \(session.operatorName), \(site.rpID), \(userHandle(of: person)),
                \(new.key.cose), \(Int64(new.signCount)), \(new.isBackupEligible), \(name), \(now)
            FROM console_sessions s
            WHERE s.session_hash = \(OperatorSessions.hash(session.secret)) AND s.expires_at > \(now) AND s.passkey_id IS NULL FOR UPDATE
            RETURNING credential_id
            """)
        let record = act.audited(at: now).record(
            .operatorPasskeyAdded,
            facts: "'subject', \(person.subject), 'passkey', \(Passkey.factorID(of: new.id)), 'name', \(name)", in: AuditEvents.server)
        let spending = new.challenge.map { [$0.spend(in: AuditEvents.server)] } ?? []
        do { _ = try await storage.write(all: [insert] + spending + [record]) } catch {
            throw error.ofSpentToken(.passkeyChallengeRefused)
        }
    }

    /// Removes a passkey of the person, and ends the sessions that it began. False when they have none with this id.
    package func remove(_ id: [UInt8], of person: OperatorPerson, by act: OperatorAct) async throws(AccountError) -> Bool {
        let act = act.audited(at: clock.now())
        let theirs: SQL = "issuer = \(person.issuer) AND subject = \(person.subject)"
        let results = try await storage.write(all: [
            act.removeOperatorPasskeys(where: "credential_id = \(id) AND \(theirs)"),
            "DELETE FROM console_sessions WHERE passkey_id = \(id) AND \(theirs)",
        ])
        return !(results.first ?? []).isEmpty
    }

    /// - Parameter browser: the secret of the browser's cookie.
    func context(of browser: [UInt8], at site: Site) -> Challenge.Context {
        Challenge.Context(
            projectID: AuditEvents.server, rpID: site.rpID, flow: Digest.sha256(browser), requiresUserVerification: true)
    }

    func rules(_ kinds: Set<Challenge.Kind>, for context: Challenge.Context, at site: Site) -> CeremonyRules {
        CeremonyRules(
            rpID: site.rpID, origins: [site.origin], requiresUserVerification: true,
            challenge: .ours(kinds, context, keys: keys, now: clock.now()))
    }

    /// The context of a registration. With the user handle in it, a change of the master key meanwhile cannot give the passkey another one than
    /// the authenticator has.
    private func context(_ session: OperatorSession, _ person: OperatorPerson, _ site: Site) -> Challenge.Context {
        Challenge.Context(
            projectID: AuditEvents.server, rpID: site.rpID, subject: OperatorSessions.hash(session.secret), flow: userHandle(of: person),
            requiresUserVerification: true)
    }

    /// The bytes by which authenticators know the person. The passkeys of one have the same, so that an authenticator puts a new one into the place
    /// of one that was removed here.
    private func userHandle(of person: OperatorPerson) -> [UInt8] {
        let parts = ["user handle", person.issuer, person.subject].map { "\($0.utf8.count):\($0)" }
        return Array(Digest.hmacSHA256(key: keys.first ?? [], Array(parts.joined().utf8)).prefix(24))
    }
}

extension OperatorSession {
    /// Throws `passkeysNotEnabled` for a session that `gatehouse console open` began.
    fileprivate var provenPerson: OperatorPerson {
        get throws(AccountError) {
            guard let person else { throw .passkeysNotEnabled }
            return person
        }
    }
}

extension AuditedAct {
    /// Removes passkeys of operators, and records each that was there.
    func removeOperatorPasskeys(where condition: SQL) -> SQL {
        let facts: SQL = "'passkey', \(Passkey.factorIDText(of: "gone.credential_id")), 'name', gone.name"
        return """
            WITH gone AS (DELETE FROM operator_passkeys WHERE \(condition) RETURNING subject, credential_id, name)
            INSERT INTO audit_events \(Self.columns)
            SELECT \(values(.operatorPasskeyRemoved, subject: "gone.subject", facts: facts, in: AuditEvents.server)) FROM gone
            RETURNING 1::bigint
            """
    }
}
