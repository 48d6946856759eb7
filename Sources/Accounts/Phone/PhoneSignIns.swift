import Postgres
package import ProjectSettings
import Runtime
package import Text

/// Signs people in by phone numbers, and gives accounts their numbers.
package struct PhoneSignIns: Sendable {
    let storage: Storage
    let clock: Clock
    let codes: PhoneCodes
    let proofs: PhoneProofs
    let idTokens: IDTokens
    let notices: OwnerNotices
    let completion: SignInCompletion

    /// The proof that the client shows for a number.
    package enum Proof: Sendable {
        /// The digits of a message, and the text that names the code.
        case code(String, session: UTF8Text)
        /// The answer of an earlier call, which found that another account has the number.
        case temporary(String, number: String)
    }

    /// The result of a sign-in.
    package enum Result: Sendable {
        case signedIn(Account, SignInOutcome, isNewUser: Bool)
        /// The caller's account cannot have the number, since another one has it. By the proof, the caller can sign in to that one.
        case taken(number: String, temporaryProof: String, lifetime: Duration)
    }

    /// Signs in to the account of the number, or makes one. With an ID token: the number becomes the one of the caller's account.
    ///
    /// Throws what `IDTokens.account` throws, what `PhoneCodes.prove` throws, `invalidPhoneProof`; with an ID token `signInTooOld` and, for a
    /// temporary proof of another account's number, `phoneNumberTaken`; without one `accountNotFound` (where `makesAccounts` is false),
    /// `accountDisabled`, `phoneBesideSecondFactor` and `adminOnly`.
    /// - Parameter makesAccounts: whether a number without an account gets one; false where the person signs in again.
    package func signIn(
        by proof: Proof, linkingTo idToken: String? = nil, makesAccounts: Bool = true, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> Result {
        var account: Account?
        return try await completion.tellingRefusals(by: SignInProvider.phone, to: account, in: project, from: client) {
            () async throws(AccountError) in
            if let idToken { _ = try await idTokens.account(of: idToken, charging: (.update, client), in: project) }
            let number = try await proven(by: proof, in: project, from: client)
            var isFirst = true
            return try await retryingConflicts(orRaces: { if case .phoneNumberTaken = $0 { true } else { false } }) {
                () async throws(AccountError) in
                // Where another call has used the proof up, this one does not find it.
                if !isFirst { try await number.check(self, in: project) }
                isFirst = false
                let holder = try Account.one(of: await storage.read(Account.select("a.phone_number = \(number.text)", in: project)))
                account = holder
                if let idToken { return try await link(number, of: holder, to: idToken, language: language, in: project, from: client) }
                guard let holder else {
                    guard makesAccounts else { throw .accountNotFound }
                    return try await create(number, in: project, from: client)
                }
                return try await open(holder, number, language: language, in: project, from: client)
            }
        }
    }

    /// A number that is proven, in either way.
    private struct Number: Sendable {
        let text: String
        let code: ProvenNumber?
        let proof: PhoneProofs.Proof?

        func spend(_ rules: PhoneSignIns, in project: ProjectSettings) -> [SQL] {
            (code.map { rules.codes.spend($0, in: project) } ?? []) + (proof.map { [rules.proofs.spend($0, in: project)] } ?? [])
        }

        func check(_ rules: PhoneSignIns, in project: ProjectSettings) async throws(AccountError) {
            if let code, try await !rules.codes.stands(code, in: project) { throw .codeSessionUnknown }
            if let proof, try await !rules.proofs.stands(proof, in: project) { throw .invalidPhoneProof }
        }
    }

    private func proven(
        by proof: Proof, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Number {
        switch proof {
        case .code(let digits, let session):
            let proven = try await codes.prove(digits, of: session, for: .signIn, in: project, from: client)
            return Number(text: proven.text, code: proven, proof: nil)
        case .temporary(let text, let number):
            let proof = try proofs.open(text, for: number, in: project)
            guard try await proofs.stands(proof, in: project) else { throw .invalidPhoneProof }
            return Number(text: number, code: nil, proof: proof)
        }
    }

    private func create(_ number: Number, in project: ProjectSettings, from client: Session.ClientInfo) async throws(AccountError) -> Result
    {
        guard project.signIn.signUp else { throw .adminOnly }
        let now = clock.now()
        var account = Account(id: client.newAccountID, at: now)
        account.phoneNumber = number.text
        let authentication = Authentication(account: account, signInProvider: SignInProvider.phone, time: now)
        let done = try await completion.complete(
            authentication, with: [account.insert(in: project)] + number.spend(self, in: project), as: .created, in: project, from: client,
            at: now)
        return .signedIn(done.account, done.outcome, isNewUser: true)
    }

    private func open(
        _ account: Account, _ number: Number, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Result {
        guard !account.disabled else { throw .accountDisabled }
        // A phone would be the first factor and a second one at once.
        guard account.secondFactors == nil else { throw .phoneBesideSecondFactor }
        let now = clock.now()
        var changed = account
        changed.lastLoginAt = now
        let authentication = Authentication(account: changed, signInProvider: SignInProvider.phone, time: now)
        let stillHasNumber: SQL = .required(
            """
            SELECT account_id FROM accounts
            WHERE project_id = \(project: project) AND account_id = \(account.id) AND phone_number = \(number.text)
            """)
        let events = account.emailProven && account.isIdle(at: now) ? [AccountEvent(.phoneNumberUsedAgain)] : []
        let mails = notices.statements(for: events, from: account, to: changed, language: language, in: project)
        let records = AuditedAct(by: .person, on: account.id, from: client, at: now).records(of: events, in: project) + mails
        let done = try await completion.complete(
            authentication, with: [changed.recordSignIn(in: project), stillHasNumber] + number.spend(self, in: project) + records,
            as: .signedIn, in: project, from: client, at: now)
        notices.mails.wakeWorker(for: mails, in: project)
        return .signedIn(done.account, done.outcome, isNewUser: false)
    }

    private func link(
        _ number: Number, of holder: Account?, to idToken: String, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> Result {
        let (account, token) = try await idTokens.account(of: idToken, in: project)
        try idTokens.requireFreshForSession(token, of: account, in: project)
        if let holder, holder.id != account.id {
            guard number.code != nil else { throw .phoneNumberTaken }
            _ = try await storage.write(all: number.spend(self, in: project))
            return .taken(
                number: number.text, temporaryProof: proofs.issue(for: number.text, in: project), lifetime: PhoneProofs.lifetime)
        }
        let now = clock.now()
        var changed = account
        changed.phoneNumber = number.text
        changed.phoneLinkedUnproven =
            account.phoneNumber == number.text ? account.phoneLinkedUnproven : account.email != nil && !account.emailProven
        changed.lastLoginAt = now
        let events = account.phoneEvents(to: changed)
        try await notices.charge(for: events, to: account, in: project, from: client)
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        // The person of the former number may be another one by now.
        let isOther = account.phoneNumber != nil && account.phoneNumber != number.text
        if isOther { changed.noteEndedSessions(at: now) }
        var statements = [changed.update(from: account, passwordHash: nil, in: project)] + token.holdSession(in: project)
        statements += number.spend(self, in: project) + act.records(of: events, in: project)
        if isOther {
            statements.append(act.endSessions(of: account, signedInBy: [SignInProvider.phone], sparing: token.sessionID, in: project))
        }
        let mails = notices.statements(for: events, from: account, to: changed, language: language, in: project)
        let authentication = Authentication(
            account: changed, signInProvider: SignInProvider.phone, time: token.authTime(linkingTo: account, at: now),
            continuesSession: true, secondFactor: account.standing(token.secondFactor))
        let outcome = try await completion.complete(
            authentication, with: statements + mails, as: .linked, in: project, from: client, at: now
        ).outcome
        notices.mails.wakeWorker(for: mails, in: project)
        return .signedIn(changed, outcome, isNewUser: false)
    }
}

extension Account {
    /// Whether it has not been used for so long that its number may be another person's by now: networks assign numbers anew.
    fileprivate func isIdle(at now: Instant) -> Bool {
        let used = [createdAt, lastLoginAt, lastRefreshAt].compactMap(\.self).max() ?? createdAt
        return used + .seconds(180 * 86400) < now
    }

    /// The events by which its phone number becomes that of `changed`.
    func phoneEvents(to changed: Account) -> [AccountEvent] {
        switch (phoneNumber, changed.phoneNumber) {
        case (nil, .some): [AccountEvent(.phoneNumberAdded, providerID: SignInProvider.phone)]
        case (.some, nil): [AccountEvent(.phoneNumberRemoved, providerID: SignInProvider.phone)]
        case (let former, let new) where former != new: [AccountEvent(.phoneNumberChanged, providerID: SignInProvider.phone)]
        default: []
        }
    }
}
