import Crypto
package import Postgres
package import Runtime
package import Text

/// The sessions of operators at the console. They belong to no project, and no account of a project's people can begin one.
package struct OperatorSessions: Sendable {
    package static let lifetime: Duration = .seconds(8 * 3600)
    private static let idle: Duration = .seconds(1800)
    /// The whole life of a session that `gatehouse console open` began.
    package static let lifetimeOfBreakGlass: Duration = .seconds(1800)
    /// A use is noted when the last note is older, so that most requests write nothing.
    private static let noted: Duration = .seconds(60)

    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// Begins a session of a person whom the provider or a passkey has proven, and records it. The browser's former sessions end: a sign-in always
    /// has a new secret.
    ///
    /// Throws `passkeyChallengeRefused` for a use of a passkey that has begun a session already, and `conflict` where the passkey was used or removed
    /// meanwhile.
    /// - Parameters:
    ///   - passkey: `nil` where the person has signed in at the provider.
    ///   - time: when the person proved themselves, not later than now; `nil` for now.
    ///   - former: the ids of the sessions that the browser had.
    package func begin(
        _ name: String, _ person: OperatorPerson, by passkey: UsedOperatorPasskey? = nil, at time: Instant? = nil,
        replacing former: Set<String>, from client: Session.ClientInfo
    ) async throws(AccountError) -> OperatorSession {
        let now = clock.now()
        let session = OperatorSession(
            secret: Random.bytes(32), operatorName: name, person: person, reason: nil, signedInAt: time ?? now,
            passkeyID: passkey?.id)
        let act = AuditedAct(by: .operator(name), on: nil, from: client, at: now)
        let facts: SQL = "'subject', \(person.subject), 'passkey', \(passkey.map { Passkey.factorID(of: $0.id) })"
        // The use locks the passkey first, so that its removal finds the session.
        var statements: [SQL] = passkey?.note(at: now) ?? []
        statements += [
            """
            INSERT INTO console_sessions (session_hash, operator, issuer, subject, passkey_id, signed_in_at, used_at, expires_at)
            SELECT \(Self.hash(session.secret)), \(name), \(person.issuer), \(person.subject), \(passkey?.id), \(session.signedInAt), \(now),
                \(now + Self.lifetime)
            """,
            act.record(.consoleSignedIn, facts: facts, in: AuditEvents.server),
        ]
        statements += Self.deletions(of: former, replacedBy: session.secret)
        do { _ = try await storage.write(all: statements) } catch { throw error.ofSpentToken(.passkeyChallengeRefused) }
        return session
    }

    /// The statement that begins a session without the provider, for the transaction that uses its opening up.
    static func breakGlass(
        _ secret: [UInt8], reason: SQL, from client: Session.ClientInfo, at now: Instant
    ) -> (columns: SQL, values: SQL) {
        (
            "(session_hash, operator, reason, address, signed_in_at, used_at, expires_at)",
            """
            \(hash(secret)), \(Operator.breakGlass.name), \(reason), \(client.limitKey), \(now), \(now), \
            \(now + lifetimeOfBreakGlass)
            """
        )
    }

    /// The session of this cookie; `nil` when it has ended, was idle for too long, or there is none. One round trip, and a second one about once
    /// a minute.
    ///
    /// - Parameter isUse: whether it counts as a use. A page that loads itself again is not one.
    package func find(_ cookie: UTF8Text, from client: Session.ClientInfo, isUse: Bool = true) async throws(AccountError)
        -> OperatorSession?
    {
        guard let secret = Base64URL.decodeStrict(cookie.asString), secret.count == 32 else { return nil }
        let (hash, now) = (Self.hash(secret), clock.now())
        let rows = try await storage.read(
            """
            SELECT operator, issuer, subject, reason, address, signed_in_at, used_at, passkey_id,
                (SELECT email FROM console_operators o WHERE o.issuer = s.issuer AND o.subject = s.subject)
            FROM console_sessions s
            WHERE session_hash = \(hash) AND expires_at > \(now) AND used_at > \(now - Self.idle)
            """)
        guard var row = rows.first?.reader() else { return nil }
        let stored = try reading { try Stored(&row) }
        if let address = stored.address, address != client.limitKey { return nil }
        if isUse, stored.usedAt + Self.noted < now {
            _ = try await storage.write(
                "UPDATE console_sessions SET used_at = \(now) WHERE session_hash = \(hash) AND used_at < \(now)")
        }
        return OperatorSession(
            secret: secret, operatorName: stored.name, person: stored.person, reason: stored.reason, signedInAt: stored.signedInAt,
            passkeyID: stored.passkeyID, email: stored.email)
    }

    package func end(_ session: OperatorSession) async throws(AccountError) {
        _ = try await storage.write("DELETE FROM console_sessions WHERE session_hash = \(Self.hash(session.secret))")
    }

    /// Ends a browser's former sessions once it has the new one: the statements stand behind the one that begins that.
    ///
    /// - Parameters:
    ///   - former: their ids.
    ///   - secret: of the new session.
    static func deletions(of former: Set<String>, replacedBy secret: [UInt8]) -> [SQL] {
        former.sorted().compactMap(Base64URL.decodeStrict).map { former in
            """
            DELETE FROM console_sessions WHERE session_hash = \(former)
                AND EXISTS (SELECT FROM console_sessions WHERE session_hash = \(hash(secret)))
            """
        }
    }

    static func hash(_ secret: [UInt8]) -> [UInt8] { Digest.sha256(secret) }

    static func id(of secret: [UInt8]) -> String { Base64URL.encode(hash(secret)) }

    /// The id of the session that a cookie is for, if there is one.
    package static func id(ofCookie cookie: UTF8Text) -> String? { Base64URL.decodeStrict(cookie.asString).map(id(of:)) }

    /// A row of the table.
    private struct Stored {
        let name: String
        let person: OperatorPerson?
        let reason: String?
        let address: String?
        let signedInAt: Instant
        let usedAt: Instant
        let passkeyID: [UInt8]?
        let email: String?

        init(_ row: inout RowReader) throws(PostgresError) {
            name = try row.next()
            let (issuer, subject): (String?, String?) = (try row.next(), try row.next())
            if let issuer, let subject { person = OperatorPerson(issuer: issuer, subject: subject) } else { person = nil }
            reason = try row.next()
            address = try row.next()
            signedInAt = try row.next()
            usedAt = try row.next()
            passkeyID = try row.next()
            email = try row.next()
        }
    }
}
