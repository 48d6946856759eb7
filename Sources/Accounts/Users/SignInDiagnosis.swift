import Identity
package import ProjectSettings
package import Runtime
import Text

/// Why a person can or cannot sign in: for each way, the first of the checks that refuses, in the order in which a sign-in makes them. Nothing is
/// signed in or charged. A rule without I/O.
///
/// It knows what belongs to the person and the project. Whether a password is right, and what is counted against the address of the person's client,
/// only a sign-in tells.
package struct SignInDiagnosis: Sendable, Equatable {
    /// One way to sign in.
    package struct Way: Sendable, Equatable {
        /// A provider's id, a name of `SignInProvider`, or `emailLink`.
        package let name: String
        /// `nil` where none is known: the way is open.
        package let obstacle: SignInObstacle?
        /// The steps that still decide where there is no obstacle.
        package let conditions: [SignInCondition]
    }

    /// Those that are open come first.
    package let ways: [Way]
    /// The last end of a session that the person had; `nil` where none has ended.
    package let lastEnding: UserDetails.SessionEnding?
    /// Tokens of sign-ins before this time are refused.
    package let tokensValidSince: Instant
    /// Whether the account's address is not proven. Then a provider that proves it takes over the account, and lost second factors have no stand-in.
    package let hasUnprovenAddress: Bool

    package var canSignIn: Bool { ways.contains { $0.obstacle == nil } }

    /// The providers that a project's file names.
    package struct Providers: Sendable {
        package let switchedOn: Set<String>
        package let switchedOff: Set<String>

        package init(switchedOn: Set<String>, switchedOff: Set<String>) {
            self.switchedOn = switchedOn
            self.switchedOff = switchedOff
        }
    }

    package init(_ details: UserDetails, _ providers: Providers, in project: ProjectSettings) {
        let checks = SignInChecks(details: details, providers: providers, project: project)
        ways = checks.ways.filter { $0.obstacle == nil } + checks.ways.filter { $0.obstacle != nil }
        lastEnding = details.lastEnding
        tokensValidSince = details.account.validSince
        hasUnprovenAddress = details.account.email != nil && !details.account.emailProven
    }
}

/// The checks of each way to sign in, in their order.
private struct SignInChecks {
    let details: UserDetails
    let providers: SignInDiagnosis.Providers
    let project: ProjectSettings

    private var account: Account { details.account }

    /// The ways that the project has, and those that the account has.
    var ways: [SignInDiagnosis.Way] {
        var ways: [SignInDiagnosis.Way] = []
        if project.signIn.password || account.hasPassword { ways.append(password) }
        if project.signIn.emailLink || account.emailLinkSignIn { ways.append(emailLink) }
        let named = providers.switchedOn.union(account.identities.map(\.providerID))
        ways += named.sorted().map(provider)
        if project.phone.enabled || account.phoneNumber != nil { ways.append(phone) }
        if project.passkeys != nil || !account.passkeys.isEmpty { ways.append(passkey) }
        if account.customAuth { ways.append(customToken) }
        return ways
    }

    private var password: SignInDiagnosis.Way {
        way(
            SignInProvider.password,
            [
                project.signIn.password ? nil : .notEnabled,
                account.email == nil ? .noAddress : nil,
                limit(.password),
                account.hasPassword ? nil : .noPassword,
                disabled, unknownSecondFactor,
            ], with: mayRefusePassword ? [.passwordPolicy] : [])
    }

    private var mayRefusePassword: Bool { project.passwordPolicy.enforcement == .enforce && project.passwordPolicy.forceUpgradeOnSignIn }

    private var emailLink: SignInDiagnosis.Way {
        way(
            "emailLink",
            [
                project.signIn.emailLink ? nil : .notEnabled,
                account.email == nil ? .noAddress : nil,
                limit(.sendSignInLink), disabled, unknownSecondFactor,
            ])
    }

    private func provider(_ id: String) -> SignInDiagnosis.Way {
        let standing: SignInObstacle? =
            providers.switchedOn.contains(id) ? nil : providers.switchedOff.contains(id) ? .providerSwitchedOff : .providerNotConfigured
        return way(id, [standing, account.has(id) ? nil : .notLinked, disabled, unknownSecondFactor])
    }

    private var phone: SignInDiagnosis.Way {
        let reached = account.phoneNumber.map { number in
            project.phone.testNumbers[number] != nil
                || PossiblePhoneNumber(UTF8Text(number)).map { project.phone.sends(to: $0.region) } ?? false
        }
        return way(
            SignInProvider.phone,
            [
                project.phone.enabled ? nil : .notEnabled,
                reached == nil ? .noPhoneNumber : reached == true ? nil : .numberNotReached,
                limit(.sendSMS), limit(.sendSMSDaily), limit(.phoneCode),
                disabled, account.secondFactors == nil ? nil : .phoneBesideSecondFactor,
            ])
    }

    private var passkey: SignInDiagnosis.Way {
        way(
            SignInProvider.passkey, [project.passkeys == nil ? .notEnabled : nil, account.passkeys.isEmpty ? .noPasskey : nil, disabled],
            asksSecondFactor: project.passkeys?.countAsSecondFactor == false)
    }

    private var customToken: SignInDiagnosis.Way { way(SignInProvider.custom, [disabled], asksSecondFactor: false) }

    private var disabled: SignInObstacle? { account.disabled ? .accountDisabled : nil }

    private var unknownSecondFactor: SignInObstacle? {
        account.secondFactors != nil && account.factors.answerable.isEmpty ? .secondFactorUnknown : nil
    }

    private func limit(_ action: LimitedAction) -> SignInObstacle? {
        details.limits.first { $0.action == action && $0.refusesUntil != nil }.flatMap { limit in
            limit.refusesUntil.map { .limitReached(limit.action, limit.scope, until: $0) }
        }
    }

    /// - Parameter obstacles: one for each check that refuses, in the order of the checks.
    private func way(
        _ name: String, _ obstacles: [SignInObstacle?], with conditions: [SignInCondition] = [], asksSecondFactor: Bool = true
    ) -> SignInDiagnosis.Way {
        let first: SignInObstacle? = project.tenant?.enabled == false ? .tenantSwitchedOff : obstacles.compactMap(\.self).first
        guard first == nil else { return SignInDiagnosis.Way(name: name, obstacle: first, conditions: []) }
        var conditions = conditions
        if account.secondFactors != nil, asksSecondFactor {
            conditions.append(.secondFactor(account.factors.answerable.map(\.maskedSummary)))
        }
        conditions += project.hooks[.beforeSignIn] == nil ? [] : [.hook(.beforeSignIn)]
        return SignInDiagnosis.Way(name: name, obstacle: nil, conditions: conditions)
    }
}

extension SecondFactors.Factor {
    /// Its kind and its name, with a number of which only the last digits show.
    package var maskedSummary: String {
        let name = displayName.map { " (\($0))" } ?? ""
        return switch kind {
        case .phone: "phone \(maskedNumber ?? "")\(name)"
        case .totp: "authenticator app\(name)"
        case .other: "a kind that this server does not ask for\(name)"
        }
    }
}

extension SignInDiagnosis {
    /// Other facts that decide whether the person is signed in, in words for an operator.
    package var notes: [String] {
        var notes: [String] = []
        if let lastEnding {
            notes.append("A session ended last at \(Timestamp.text(lastEnding.time))\(lastEnding.reason.map { ": \($0)" } ?? "").")
        }
        notes.append("Tokens of sign-ins before \(Timestamp.text(tokensValidSince)) are refused.")
        if hasUnprovenAddress {
            notes.append(
                "The address is not proven: a provider that proves it takes the account over, and no mail stands in for a lost second factor."
            )
        }
        return notes
    }
}
