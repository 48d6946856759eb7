import Crypto
import JOSE
import JSON
import Postgres
package import ProjectSettings
import Runtime
import Text

/// Issues ID tokens for sessions, verifies them, and finds the account of a caller who shows one.
package final class IDTokens: Sendable {
    let storage: Storage
    let clock: Clock
    let publicURL: String
    let signingKeys: SigningKeys
    let limits: RateLimits
    /// `nil` where no tokens of Google's are taken, as in commands.
    private let formerTokens: (any FormerTokens)?
    private let justInTime: JustInTimeImports

    init(
        storage: Storage, clock: Clock, publicURL: String, signingKeys: SigningKeys, limits: RateLimits,
        formerTokens: (any FormerTokens)?, justInTime: JustInTimeImports
    ) {
        self.storage = storage
        self.clock = clock
        self.publicURL = publicURL
        self.signingKeys = signingKeys
        self.limits = limits
        self.formerTokens = formerTokens
        self.justInTime = justInTime
    }

    /// The public keys in the forms that verifiers fetch.
    package var publishedKeys: SigningKeys.Published { signingKeys.published }

    /// Signs an ID token of `session`, with the account's present profile.
    ///
    /// Claims and their order of precedence are Firebase's: custom claims may override the name and the picture, but no other claim.
    /// <https://firebase.google.com/docs/auth/admin/verify-id-tokens>
    package func issue(for account: Account, _ session: Session, in project: ProjectSettings) throws -> String {
        let now = clock.now()
        // The claims of the custom token override the administrator's, and both override the name and the picture. They stand before ours.
        var custom = try account.customAttributes.map { try JSON.parse($0).object } ?? nil
        if let text = session.developerClaims, let developer = try JSON.parse(text).object {
            custom = (custom ?? [:]).merging(developer)
        }
        var claims = JSONWriter(capacity: 640)
        claims.object { claims in
            if custom?["name"] == nil { claims.field("name", account.displayName) }
            if custom?["picture"] == nil { claims.field("picture", account.photoURL) }
            for claim in custom ?? [:] where !Self.ownClaims.contains(claim.name) { claims.field(claim.name.asString, json: claim.value) }
            if session.signInProvider == SignInProvider.anonymous { claims.field("provider_id", SignInProvider.anonymous) }
            claims.field("iss", project.issuer(publicURL: publicURL))
            claims.field("aud", project.id)
            claims.field("auth_time", session.authTime.seconds)
            claims.field("user_id", account.id)
            claims.field("sub", account.id)
            claims.field("sid", Base64URL.encode(session.id))
            claims.field("iat", now.seconds)
            claims.field("exp", now.seconds + project.tokens.lifetime.wholeSeconds)
            if let email = account.email {
                claims.field("email", email)
                claims.field("email_verified", account.emailVerified)
            }
            claims.field("phone_number", account.phoneNumber)
            claims.object("firebase") { firebase in
                firebase.object("identities") { identities in
                    for identity in account.identities { identities.array(identity.providerID) { $0.value(identity.subject) } }
                    if let email = account.email { identities.array("email") { $0.value(email) } }
                    if let number = account.phoneNumber { identities.array(SignInProvider.phone) { $0.value(number) } }
                }
                firebase.field("sign_in_provider", session.signInProvider)
                firebase.field("sign_in_second_factor", session.secondFactor?.shown?.kind)
                firebase.field("second_factor_identifier", session.secondFactor?.shown?.id)
                firebase.field("tenant", project.tenant?.id)
            }
        }
        if project.tokens.unsigned { return UnsignedJWT.text(provingNothing: claims.bytes) }
        return try signingKeys.signer(for: project.tokens.algorithm, at: now).sign(claims: claims.bytes)
    }

    /// Claims that custom attributes never override.
    private static let ownClaims: Set<UTF8Text> = [
        "iss", "aud", "auth_time", "user_id", "sub", "sid", "iat", "exp", "email", "email_verified", "phone_number", "firebase",
        "provider_id",
    ]

    /// Checks signature, issuer and audience. The caller checks the expiry, after the account (docs/wire.md, "Order of checks").
    ///
    /// Our own keys come first. While people of a Firebase project move here, a token that names no key of ours may be Google's.
    private func verified(_ token: String, in project: ProjectSettings) async throws(AccountError) -> IDToken {
        do { return try ownToken(token, in: project) } catch {
            guard let formerTokens, let migration = project.openMigration(at: clock.now()),
                let former = try? UnverifiedJWT.parse(token, as: .ownIDToken),
                !signingKeys.published.keys.keys.contains(where: { $0.kid == former.kid })
            else { throw error }
            return try await formerTokens.idToken(former, of: migration)
        }
    }

    /// A token that this server signed. Throws `invalidIDToken` for any other text.
    func ownToken(_ token: String, in project: ProjectSettings) throws(AccountError) -> IDToken {
        let text = UTF8Text(token)
        if project.tokens.unsigned, let unsigned = UnsignedJWT(provingNothing: text, as: .ownIDToken) {
            // The id of its session, which is random and lives, is what shows that this server issued the token. Until then anybody may have
            // written the claims.
            guard let token = read(unsigned.claims, in: project), token.sessionID != nil,
                !token.accountID.utf8.contains(0)
            else { throw .invalidIDToken }
            return token
        }
        let claims = signingKeys.published.claims(of: text).flatMap { try? JSON.parse($0) }
        guard let token = read(claims, in: project) else { throw .invalidIDToken }
        return token
    }

    private func read(_ claims: JSON?, in project: ProjectSettings) -> IDToken? {
        claims.flatMap { IDToken(claims: $0, from: project.issuer(publicURL: publicURL), for: project) }
    }

    /// Finds the account of the caller who shows this ID token, in one round trip. The checks are in the order of docs/wire.md.
    ///
    /// Throws `invalidIDToken`, `accountNotFound`, `sessionEnded` (the token has expired, or its session has ended), `accountDisabled`, or
    /// `formerIssuerUnavailable`.
    /// - Parameter charge: an action of this client, which is charged to the account in the same round trip.
    package func account(
        of token: String, charging charge: (action: LimitedAction, client: Session.ClientInfo)? = nil, in project: ProjectSettings
    ) async throws(AccountError) -> (Account, IDToken) {
        let idToken = try await verified(token, in: project)
        return (try await account(of: idToken, charging: charge, in: project).account, idToken)
    }

    /// The same, and what else to read beside the account; the reader stands before it.
    func account(
        of token: String, with others: SQL, charging charge: (action: LimitedAction, client: Session.ClientInfo),
        in project: ProjectSettings
    ) async throws(AccountError) -> (account: Account, token: IDToken, others: RowReader) {
        let idToken = try await verified(token, in: project)
        let found = try await account(of: idToken, with: others, charging: charge, in: project)
        return (found.account, idToken, found.others)
    }

    /// Finds the account of a verified token, and checks it as `account(of:charging:in:)` does.
    ///
    /// - Parameter others: what to read beside the account; the reader stands before it.
    func account(
        of idToken: IDToken, with others: SQL? = nil, charging charge: (action: LimitedAction, client: Session.ClientInfo)? = nil,
        in project: ProjectSettings
    ) async throws(AccountError) -> (account: Account, others: RowReader) {
        let caller = idToken.caller(with: others, in: project)
        let rows =
            if let (action, client) = charge {
                try await limits.charge(Attempt(action, from: client, accountID: idToken.accountID, in: project), then: caller)
            } else {
                try await storage.read(caller)
            }
        let now = clock.now()
        var found = try Self.found(rows, idToken)
        if found == nil, idToken.isGoogles, idToken.expires > now,
            case .here = try await justInTime.bring(.id(idToken.accountID), in: project)
        {
            found = try Self.found(await storage.read(caller), idToken)
        }
        guard let account = found?.account, var others = found?.others else { throw .accountNotFound }
        let sessionLives = try reading { try others.next(as: Bool.self) }
        // Disabling an account ends its sessions, so the reason comes first.
        guard !account.disabled || idToken.expires <= now else { throw .accountDisabled }
        try account.check(idToken, sessionLives: sessionLives, at: now)
        return (account, others)
    }

    /// The account of a caller's row, and the reader behind it.
    private static func found(_ rows: [Row], _ token: IDToken) throws(AccountError) -> (account: Account, others: RowReader)? {
        guard var row = rows.first?.reader(), let account = try reading({ try Account(&row) }), account.id.isExactly(token.accountID) else {
            return nil
        }
        return (account, row)
    }

    /// `IDToken.requireFresh`, now.
    func requireFresh(_ token: IDToken, of account: Account, in project: ProjectSettings) throws(AccountError) {
        try token.requireFresh(for: account, in: project, at: clock.now())
    }

    /// The same for a change that answers with a session, which a token of Google's alone must not become.
    func requireFreshForSession(_ token: IDToken, of account: Account, in project: ProjectSettings) throws(AccountError) {
        try requireFresh(token, of: account, in: project)
        try token.requireSessionOrFresh(for: account, in: project, at: clock.now())
    }
}

extension IDToken {
    /// Throws `signInTooOld` unless the caller signed in a moment ago, and with a second factor where the account has one (SEC-35). A
    /// recovery code does not count, even after the factor in whose place it came is gone. A person cannot sign in to an anonymous account again, so its own session is always fresh enough.
    func requireFresh(for account: Account, in project: ProjectSettings, at now: Instant) throws(AccountError) {
        if account.isAnonymous, signInProvider == SignInProvider.anonymous, !isGoogles { return }
        let proof = account.standing(secondFactor)
        guard proof?.countsForChanges ?? (account.secondFactors == nil) else { throw .signInTooOld }
        guard !(authTime + project.signIn.recentLogin).isInEarlierSecond(than: now) else { throw .signInTooOld }
    }

    /// Throws `signInTooOld` unless the caller signed in a moment ago, to an account that has second factors. For calls that add a way to sign in to
    /// the caller's account, where the person's word is enough for others.
    func requireFreshSecondFactor(for account: Account, in project: ProjectSettings, at now: Instant) throws(AccountError) {
        if account.secondFactors != nil { try requireFresh(for: account, in: project, at: now) }
    }

    /// Throws `signInTooOld` for a token of Google's, unless its person signed in a moment ago.
    ///
    /// For calls that answer with a session: an hour's token of Google's lies in logs and at back ends, and must not become a session here
    /// (SEC-51). A person who has just signed in could do at Google what the call does; everyone else refreshes first. So does a person with a
    /// second factor, which a refresh token must have passed (SEC-55).
    func requireSessionOrFresh(for account: Account, in project: ProjectSettings, at now: Instant) throws(AccountError) {
        guard isGoogles else { return }
        guard account.secondFactors == nil else { throw .signInTooOld }
        try requireFresh(for: account, in: project, at: now)
    }
}
