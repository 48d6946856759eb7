import Identity
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

@Suite struct SignInDiagnosisTests {
    private static let now = Instant(seconds: 1_800_000_000)
    private let providers = SignInDiagnosis.Providers(switchedOn: ["oidc.acme"], switchedOff: ["oidc.old"])

    private func project(_ configure: (inout ProjectSettings) -> Void = { _ in }) -> ProjectSettings {
        var project = ProjectSettings(id: "demo", number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        project.signIn.password = true
        configure(&project)
        return project
    }

    /// A person with an address, a password and an identity.
    private func account(_ configure: (inout Account) -> Void = { _ in }) -> Account {
        var account = Account(id: "ada", at: Self.now)
        account.email = "ada@example.com"
        account.emailVerified = true
        account.emailProven = true
        account.passwordUpdatedAt = Self.now
        account.identities = [LinkedIdentity(providerID: "oidc.acme", subject: "ada")]
        configure(&account)
        return account
    }

    private func diagnosis(
        _ account: Account, _ limits: [CountedLimit] = [], in project: ProjectSettings? = nil
    ) -> SignInDiagnosis {
        var details = UserDetails(account: account)
        details.limits = limits
        return SignInDiagnosis(details, providers, in: project ?? self.project())
    }

    private func obstacle(_ name: String, _ diagnosis: SignInDiagnosis) -> SignInObstacle? {
        diagnosis.ways.first { $0.name == name }?.obstacle
    }

    @Test func `finds nothing that keeps an ordinary person out`() {
        let diagnosis = diagnosis(account())
        #expect(diagnosis.ways.map(\.name) == ["password", "oidc.acme"] && diagnosis.canSignIn)
        #expect(diagnosis.ways.allSatisfy { $0.obstacle == nil && $0.conditions.isEmpty })
        #expect(!diagnosis.hasUnprovenAddress)
    }

    @Test func `names the first check of a password that refuses`() {
        let full = CountedLimit(
            Attempt.Charge(action: .password, scope: .account, rate: Rate(2, per: .seconds(100)), key: []),
            fullAt: Self.now + .seconds(90), at: Self.now)
        #expect(full.refusesUntil == Self.now + .seconds(40))
        var disabled = account()
        disabled.disabled = true
        disabled.passwordUpdatedAt = nil
        #expect(obstacle("password", diagnosis(disabled, [full], in: project { $0.signIn.password = false })) == nil)
        disabled.passwordUpdatedAt = Self.now
        #expect(obstacle("password", diagnosis(disabled, [full], in: project { $0.signIn.password = false })) == .notEnabled)
        #expect(obstacle("password", diagnosis(disabled, [full])) == .limitReached(.password, .account, until: Self.now + .seconds(40)))
        disabled.passwordUpdatedAt = nil
        #expect(obstacle("password", diagnosis(disabled)) == .noPassword)
        disabled.passwordUpdatedAt = Self.now
        #expect(obstacle("password", diagnosis(disabled)) == .accountDisabled)
        #expect(
            obstacle(
                "password",
                diagnosis(
                    account {
                        $0.email = nil; $0.passwordUpdatedAt = nil
                    })) == .noAddress)
        #expect(!diagnosis(disabled).canSignIn)
    }

    @Test func `tells a limit that has something left from one that refuses`() {
        let rate = Rate(3, per: .seconds(90))
        let charge = Attempt.Charge(action: .password, scope: .account, rate: rate, key: [])
        for used in 1...3 {
            var bucket = Bucket()
            for _ in 0..<used { _ = bucket.take(rate, at: Self.now) }
            let limit = CountedLimit(charge, fullAt: bucket.fullAt, at: Self.now)
            let takesAnother = bucket.take(rate, at: Self.now)
            #expect((limit.refusesUntil == nil) == takesAnother && takesAnother == (used < 3))
        }
    }

    @Test func `tells a provider without an entry, one that is switched off, and one that is not linked apart`() {
        let person = account { $0.identities = ["oidc.gone", "oidc.old"].map { LinkedIdentity(providerID: $0, subject: "a") } }
        let diagnosis = diagnosis(person)
        #expect(obstacle("oidc.gone", diagnosis) == .providerNotConfigured)
        #expect(obstacle("oidc.old", diagnosis) == .providerSwitchedOff)
        #expect(obstacle("oidc.acme", diagnosis) == .notLinked)
        #expect(diagnosis.ways.first?.name == "password" && diagnosis.canSignIn)
    }

    @Test func `says what is asked behind the first proof`() {
        let factors = #"[{"mfaEnrollmentId":"f","displayName":"Work","phoneInfo":"+12025550101"},{"mfaEnrollmentId":"g","totpInfo":{}}]"#
        var person = account { $0.secondFactors = factors }
        person.phoneNumber = "+12025550199"
        let diagnosis = diagnosis(
            person,
            in: project {
                $0.phone.enabled = true; $0.phone.testNumbers = ["+12025550199": "123456"]
            })
        #expect(diagnosis.ways.first?.conditions == [.secondFactor(["phone +*******0101 (Work)", "authenticator app"])])
        #expect(obstacle("phone", diagnosis) == .phoneBesideSecondFactor)
        let unknown = account { $0.secondFactors = #"[{"mfaEnrollmentId":"f"}]"# }
        #expect(obstacle("password", self.diagnosis(unknown)) == .secondFactorUnknown)
        let strict = project {
            $0.passwordPolicy.enforcement = .enforce
            $0.passwordPolicy.forceUpgradeOnSignIn = true
        }
        #expect(self.diagnosis(account(), in: strict).ways.first?.conditions == [.passwordPolicy])
    }

    @Test func `knows which phones get messages`() {
        let person = account { $0.phoneNumber = "+12025550101" }
        #expect(obstacle("phone", diagnosis(person)) == .notEnabled)
        #expect(obstacle("phone", diagnosis(person, in: project { $0.phone.enabled = true })) == .numberNotReached)
        #expect(obstacle("phone", diagnosis(account(), in: project { $0.phone.enabled = true })) == .noPhoneNumber)
    }
}
