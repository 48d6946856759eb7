import Crypto
package import JSON
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// A session that a person has at Firebase, as Google answered for its refresh token.
package struct FirebaseSession: Sendable {
    package let idToken: IDToken
    /// The second factor that the person passed there.
    package let secondFactor: SecondFactorProof?
    /// The claims that a custom token brought there; empty for none.
    package let developerClaims: JSON.Object

    package init(idToken: IDToken, secondFactor: SecondFactorProof?, developerClaims: JSON.Object) {
        self.idToken = idToken
        self.secondFactor = secondFactor
        self.developerClaims = developerClaims
    }
}

/// Lets sessions of Firebase go on here: each of its refresh tokens has one session, whose id is computed from the token.
///
/// The token is the first one of its session, generation 0, so the rule of rotation (`Sessions`) is also about it: shown again, it gives the
/// same successor until that was used; shown long after, it ends the session. Google is asked about a token once. The steps are for
/// `SessionBridge`, which asks Google between them: `charge`, `find`, then `open` for a token that has no session yet.
package struct BridgedSessions: Sendable {
    let sessions: Sessions
    let limits: RateLimits
    let justInTime: JustInTimeImports
    let completion: SignInCompletion
    let clock: Clock
    /// The first one names new sessions.
    let keys: [[UInt8]]

    /// The name of the token's session, by which one process knows that two requests are about the same token.
    package func name(of token: UTF8Text, in project: ProjectSettings) -> [UInt8] { Self.id(of: token, keys[0], in: project) }

    /// Charges a try to trade a token, before anything is looked for. Throws `tooManyAttempts` or `quotaExceeded`.
    package func charge(in project: ProjectSettings, from client: Session.ClientInfo) async throws(AccountError) {
        try await limits.charge(.migrateSession, in: project, from: client)
    }

    /// The session that the token was traded for, refreshed; `nil` when it was never traded. Throws what `Sessions.refresh` throws.
    package func find(_ token: UTF8Text, in project: ProjectSettings) async throws(AccountError) -> (Account, Session)? {
        for key in keys {
            if let found = try await sessions.refresh(bridged: Self.id(of: token, key, in: project), in: project) { return found }
        }
        return nil
    }

    /// Makes the session of a token that Google has answered for, unless another request has made it meanwhile, and refreshes it.
    ///
    /// Throws `accountNotFound`, `accountDisabled`, and `sessionEnded` when something has ended the account's sessions since its person
    /// authenticated, or when the account needs a second factor that they have not passed.
    package func open(
        _ proven: FirebaseSession, for token: UTF8Text, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, Session) {
        let id = name(of: token, in: project)
        try await retryingConflicts { () async throws(AccountError) in
            let (now, idToken) = (clock.now(), proven.idToken)
            guard let account = try await account(idToken.accountID, in: project) else { throw .accountNotFound }
            guard !account.disabled else { throw .accountDisabled }
            guard account.takesProof(from: idToken.authTime) else { throw .sessionEnded }
            let authentication = Authentication(
                account: account, signInProvider: idToken.signInProvider, time: min(now, idToken.authTime),
                developerClaims: proven.developerClaimsToKeep, secondFactor: proven.secondFactor, isBridged: true)
            let done = try await completion.complete(
                authentication, with: [account.holdStanding(in: project)], as: nil, id: id, in: project, from: client, at: now)
            guard case .session = done.outcome else { throw .sessionEnded }
        }
        guard let opened = try await sessions.refresh(bridged: id, in: project) else { throw .conflict }
        return opened
    }

    /// The account with this id, which Firebase has, too.
    private func account(_ id: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        let select = Account.select("a.account_id = \(id)", in: project)
        if let account = try Account.one(of: await completion.storage.read(select)) { return account }
        guard case .here = try await justInTime.bring(.id(id), in: project) else { return nil }
        return try Account.one(of: await completion.storage.read(select))
    }

    private static func id(of token: UTF8Text, _ key: [UInt8], in project: ProjectSettings) -> [UInt8] {
        Array(Digest.hmacSHA256(key: key, Array("\(project.storageID)\0".utf8) + Array(token.utf8)).prefix(Session.idCount))
    }
}

extension FirebaseSession {
    /// As a session keeps them; `nil` for none.
    fileprivate var developerClaimsToKeep: String? {
        var kept: JSON.Object = [:]
        for claim in developerClaims where !ProjectSettings.CustomTokens.reservedClaims.contains(claim.name) {
            kept[claim.name] = claim.value
        }
        return kept.isEmpty ? nil : JSON.object(kept).text()
    }
}
