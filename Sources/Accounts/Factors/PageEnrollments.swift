import Crypto
import HTTP
import Postgres
package import ProjectSettings
package import Runtime
package import Text

/// Enrolment at the pages of this server, by the person of a browser's session.
extension FactorEnrollments {
    /// Begins to enrol an authenticator app, as `startTOTP(forIDToken:in:from:)` does.
    package func startTOTP(in session: BrowserSession, of project: ProjectSettings) async throws(AccountError) -> StartedTOTP {
        try start(for: try await caller(in: session, of: project), in: project)
    }

    /// The authenticator app of an enrolment that was begun in the session, for a page that is shown again.
    ///
    /// Throws `codeSessionUnknown` and `codeSessionExpired`.
    package func startedTOTP(
        _ text: UTF8Text, in session: BrowserSession, of project: ProjectSettings
    ) throws(AccountError) -> StartedTOTP {
        let opened = try opened(text, of: session.account, in: project)
        return StartedTOTP(totp: opened.totp, session: text.asString, expires: opened.expires)
    }

    /// Enrols the authenticator app that shows this code, as `finishTOTP(forIDToken:session:code:name:language:in:from:)` does.
    package func finishTOTP(
        _ text: UTF8Text, code: UTF8Text, in session: BrowserSession, language: String, of project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let caller = try await caller(in: session, of: project)
        return try await finish(for: caller, session: text, code: code, name: nil, language: language, in: project, from: client)
    }

    private func caller(in session: BrowserSession, of project: ProjectSettings) async throws(AccountError) -> FactorCaller {
        guard project.multiFactor.offersTOTP else { throw .secondFactor(.notEnabled(.totp)) }
        let account = session.account
        let rows = try await storage.read(FactorSecrets.select(of: account.id, in: project))
        let factors = try secrets.factors(of: account, rows, in: project)
        let caller = FactorCaller(account: account, token: session.token, factors: factors)
        try check(caller, in: project)
        return caller
    }
}

extension BrowserSession {
    /// The caller as the rules for clients know one: by the token that a client of the session would have.
    var token: IDToken {
        IDToken(
            accountID: account.id, sessionID: session.id, issued: session.authTime, expires: session.authTime, authTime: session.authTime,
            signInProvider: session.signInProvider, secondFactor: session.secondFactor?.shown)
    }

    /// Whether the project lets no one in without a second factor, and the person has none. They can enrol one at the page.
    package func lacksSecondFactor(in project: ProjectSettings) -> Bool {
        project.multiFactor.state == .mandatory && project.multiFactor.offersTOTP && account.secondFactors == nil
    }

    /// Whether the person signed in a moment ago, so that the session may change second factors.
    package func isFresh(in project: ProjectSettings, at now: Instant) -> Bool {
        !(session.authTime + project.signIn.recentLogin).isInEarlierSecond(than: now)
    }
}

extension FactorEnrollments.StartedTOTP {
    /// The secret as people type it, in groups of four.
    package var secretText: String {
        let letters = Array(Base32.encode(totp.secret).utf8)
        return stride(from: 0, to: letters.count, by: 4).map { start in
            String(decoding: letters[start..<min(start + 4, letters.count)], as: UTF8.self)
        }.joined(separator: " ")
    }

    /// The address that authenticator apps read out of a QR code.
    /// <https://github.com/google/google-authenticator/wiki/Key-Uri-Format>
    package func address(issuer: String, account: String) -> String {
        // A colon ends the issuer, also one that is encoded.
        let issuer = PercentEncoding.encode(String(issuer.map { $0 == ":" ? " " : $0 }))
        return "otpauth://totp/\(issuer):\(PercentEncoding.encode(account))?secret=\(Base32.encode(totp.secret))&issuer=\(issuer)"
            + "&algorithm=\(totp.hash.rawValue)&digits=\(totp.digits)&period=\(totp.period)"
    }
}
