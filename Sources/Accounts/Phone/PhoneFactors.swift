import Identity
package import ProjectSettings
import Runtime
package import Text

/// Phone numbers as second factors: enrols one, and ends sign-ins that wait for one, each by a code in a text message.
///
/// Test numbers serve here, too.
package struct PhoneFactors: Sendable {
    let codes: PhoneCodes
    let enrollments: FactorEnrollments
    let signIns: SecondFactorSignIns

    /// A code that may be sent now: where to, and for which step.
    package struct Request: Sendable {
        package let destination: PhoneDestination
        let purpose: PhonePurpose

        /// The code for a sign-in, or for the number of the caller's account.
        package static func signIn(to destination: PhoneDestination) -> Request { Request(destination: destination, purpose: .signIn) }
    }

    /// The code that enrols a number for the caller's account.
    ///
    /// Throws what `FactorEnrollments.caller` and `PhoneDestination` throw, and `secondFactor(.exists)`.
    package func enrollment(
        of number: UTF8Text, forIDToken idToken: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Request {
        let caller = try await enrollments.caller(idToken, adding: .sms, in: project, from: client)
        let destination = try PhoneDestination(number, in: project)
        guard !caller.factors.hasPhone(destination.number.text) else { throw .secondFactor(.exists) }
        return Request(destination: destination, purpose: .enrol(accountID: caller.account.id))
    }

    /// The code that ends a sign-in by a second factor of the account.
    ///
    /// Throws what `PendingSignIns.find` and `PhoneDestination` throw, `secondFactor(.notFound)`, and `secondFactor(.unsupported)`.
    package func signIn(
        _ credential: PendingCredential, by factorID: UTF8Text, in project: ProjectSettings
    ) async throws(AccountError) -> Request {
        let waiting = try await signIns.pending.find(credential, in: project)
        guard let factor = waiting.factors.factor(factorID.asString) else { throw .secondFactor(.notFound) }
        guard case .phone(let number) = factor.kind else { throw .secondFactor(.unsupported) }
        return Request(
            destination: try PhoneDestination(UTF8Text(number), in: project),
            purpose: .mfaSignIn(accountID: waiting.account.id, factorID: factor.id, pending: credential.hash))
    }

    /// Sends the code. Throws what `PhoneCodes.send` throws.
    package func send(
        _ request: Request, language: String, appSignatureHash: String?, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> String {
        try await codes.send(
            to: request.destination, for: request.purpose, language: language, appSignatureHash: appSignatureHash, in: project, from: client
        )
    }

    /// Enrols the number whose code this is.
    ///
    /// Throws what `FactorEnrollments.caller` throws, what `PhoneCodes.prove` throws, and `secondFactor(.exists)`.
    /// - Returns: a session of the caller in which the factor was passed.
    package func enrol(
        forIDToken idToken: String, session: UTF8Text, code: UTF8Text, name: String?, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        var proven: ProvenNumber?
        return try await retryingConflicts { () async throws(AccountError) in
            let caller = try await enrollments.caller(idToken, adding: .sms, in: project, from: client)
            if let proven, try await !codes.stands(proven, in: project) { throw .codeSessionUnknown }
            let number =
                if let proven { proven } else {
                    try await codes.prove(
                        code.asString, of: session, for: .enrol(accountID: caller.account.id), in: project, from: client)
                }
            proven = number
            guard !caller.factors.hasPhone(number.text) else { throw .secondFactor(.exists) }
            let (id, now) = (AccountID.random(), codes.clock.now())
            return try await enrollments.add(
                SecondFactors.Factor(phone: number.text, id: id, name: name, at: Timestamp.text(now)), to: caller,
                proving: SecondFactorProof(kind: SecondFactorProof.phone, id: id), with: codes.spend(number, in: project),
                language: language,
                in: project, from: client, at: now)
        }
    }

    /// Ends a sign-in with the code that was sent for it.
    ///
    /// Throws what `SecondFactorSignIns.signIn` and `PhoneCodes.prove` throw.
    package func signIn(
        _ credential: PendingCredential, session: UTF8Text, code: UTF8Text, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        try await signIns.signIn(credential, language: language, in: project, from: client) { waiting throws(AccountError) in
            let purpose = PhonePurpose.mfaSignIn(accountID: waiting.account.id, factorID: nil, pending: credential.hash)
            let number = try await codes.prove(code.asString, of: session, for: purpose, in: project, from: client)
            // The number may have been withdrawn, or enrolled anew, since the code was sent.
            guard let id = number.factorID, waiting.factors.factor(id)?.kind == .phone(number.text) else { throw .codeSessionUnknown }
            return PassedSecondFactor(
                SecondFactorProof(kind: SecondFactorProof.phone, id: id), spending: codes.spend(number, in: project))
        }
    }
}
