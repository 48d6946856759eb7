@testable import Accounts
import ProjectSettings
import Runtime
import Testing
import Text
import Web

@testable import OpenIDProvider

@Suite struct InteractionTests {
    private static let now = Instant(seconds: 10_000)

    private func request(_ prompts: [AuthorizationRequest.Prompt] = [], maxAge: Int? = nil) -> AuthorizationRequest {
        var request = AuthorizationRequest(
            clientID: "server", redirectURI: "https://rp.example.com/cb", scopes: ["openid"], issuer: "https://i")
        request.prompts = prompts
        request.maxAge = maxAge
        return request
    }

    /// - Parameters:
    ///   - passed: the second factor that the person passed.
    ///   - factors: those of the account, if it has any.
    private func session(
        age: Int64, by provider: String = "password", passed: SecondFactorProof? = nil, factors: String? = nil
    ) -> BrowserSession {
        var account = Account(id: "ada", validSince: Instant(seconds: 0), createdAt: Instant(seconds: 0))
        account.secondFactors = factors
        return BrowserSession(
            session: Session(
                projectID: "acme", id: [1], accountID: "ada", signInProvider: provider, authTime: Instant(seconds: 10_000 - age),
                developerClaims: nil, secondFactor: passed, generation: 0),
            account: account)
    }

    /// - Parameters:
    ///   - asked: how long ago the request was kept.
    ///   - consented: the account that agreed to it; likewise the others.
    private func authorization(
        _ request: AuthorizationRequest, asked: Int64 = 100, consented: String? = nil, chosen: String? = nil, edited: String? = nil
    ) -> PendingAuthorization {
        PendingAuthorization(
            id: PendingAuthorization.ID(bytes: [1]), request: request, createdAt: Instant(seconds: 10_000 - asked), consentedBy: consented,
            chosenBy: chosen, editedBy: edited)
    }

    private func needed(
        _ request: AuthorizationRequest, _ session: BrowserSession?, _ authorization: PendingAuthorization? = nil,
        client: OAuthClient = Fixture.server,
        flow: UserFlow? = nil, due: SignInStep? = nil, enrolment: Interaction.Enrolment? = nil, isAccountAsked: Bool = true,
        isAllowed: Bool = true
    ) -> Interaction? {
        Interaction.needed(
            Interaction.Situation(
                request, of: client, userFlow: flow, session: session, due: due, enrolment: enrolment, authorization: authorization,
                isAccountAsked: isAccountAsked,
                isAllowed: isAllowed, at: Self.now))
    }

    @Test func `has a second factor enrolled before anything else, in a session that may do so`() {
        let allowed = request([.consent, .selectAccount])
        #expect(needed(allowed, session(age: 5), enrolment: .possible) == .enrolFactor)
        #expect(needed(allowed, session(age: 5000), enrolment: .afterSignIn) == .signIn)
        #expect(needed(allowed, nil, enrolment: .possible) == .signIn)
        #expect(Interaction.enrolFactor.failure(of: request()) == nil)
        #expect(Interaction.enrolFactor.failure(of: request([.none])) == .interactionRequired)
    }

    @Test func `a session is enough for a plain request`() {
        #expect(needed(request(), nil) == .signIn)
        #expect(needed(request(), session(age: 5000)) == nil)
        #expect(needed(request([.none]), session(age: 5000)) == nil)
    }

    @Test(arguments: [
        ("grace@example.com", Interaction.otherAccount), ("ada@example.com", nil), ("ADA@Example.com", nil), ("ada@work.example.com", nil),
        ("ada", nil), ("no address @", nil),
    ])
    func `without a page, an address that is not the person's asks for another account`(hint: String, step: Interaction?) {
        var asked = request([.none])
        asked.loginHint = hint
        let ada = session(age: 5000)
        var account = ada.account
        account.email = "ada@example.com"
        account.identities = [LinkedIdentity(providerID: "oidc.work", subject: "1", email: "Ada@work.example.com")]
        let known = BrowserSession(session: ada.session, account: account)
        #expect(needed(asked, known) == step)
        #expect(Interaction.otherAccount.failure(of: asked) == .otherAccount)
        asked.prompts = []
        #expect(needed(asked, known) == nil)
    }

    @Test func `prompt=login and max_age want a sign-in that is new`() {
        #expect(needed(request([.login]), session(age: 5)) == .signIn)
        #expect(needed(request([.login]), session(age: 101), authorization(request([.login]))) == .signIn)
        #expect(needed(request([.login]), session(age: 100), authorization(request([.login]))) == nil)
        #expect(needed(request(maxAge: 0), session(age: 0)) == .signIn)
        #expect(needed(request(maxAge: 0), session(age: 50), authorization(request(maxAge: 0))) == nil)
        #expect(needed(request(maxAge: 1000), session(age: 1000)) == nil)
        #expect(needed(request(maxAge: 1000), session(age: 1001)) == .signIn)
        // The person was slow at the pages, but signed in for this request.
        #expect(needed(request(maxAge: 1), session(age: 50), authorization(request(maxAge: 1))) == nil)
    }

    @Test func `a session that needs another step is not enough, even a new one`() {
        #expect(needed(request(), session(age: 5000), due: .secondFactor) == .signIn)
        #expect(needed(request(), session(age: 50), authorization(request()), due: .secondFactor) == .signIn)
        #expect(needed(request([.none]), session(age: 5000), due: .secondFactor)?.failure(of: request([.none])) == .loginRequired)
    }

    @Test func `a client that asks for a second factor gets a session that passed one, if the person has one`() {
        var wanted = request()
        wanted.secondFactor = .wanted
        let factors = #"[{"mfaEnrollmentId":"1","totpInfo":{}}]"#
        let totp = SecondFactorProof(kind: "totp", id: "1")
        #expect(needed(wanted, session(age: 5000)) == nil, "there is none to ask for")
        #expect(needed(wanted, session(age: 5000, passed: totp, factors: factors)) == nil)
        #expect(needed(wanted, session(age: 5000, passed: .rememberedDevice, factors: factors)) == .signIn)
        #expect(needed(wanted, session(age: 50, passed: .rememberedDevice, factors: factors), authorization(wanted)) == .signIn)
        #expect(needed(request(), session(age: 5000, passed: .rememberedDevice, factors: factors)) == nil)
        var required = wanted
        required.secondFactor = .required
        #expect(needed(required, session(age: 5000, passed: totp, factors: factors)) == nil)
        #expect(needed(required, session(age: 5000)) == .signIn, "they may have a passkey")
        #expect(needed(required, session(age: 50), authorization(required)) == .unmetSecondFactor)
        #expect(needed(required, session(age: 50, passed: SecondFactorProof(kind: "passkey", id: nil)), authorization(required)) == nil)
        #expect(Interaction.unmetSecondFactor.failure(of: required) == .unmetAuthenticationRequirements)
    }

    @Test func `prompt=create wants a new session, too, and leads to the sign-up`() {
        #expect(needed(request([.create]), nil) == .signUp)
        #expect(needed(request([.create]), session(age: 5)) == .signUp)
        #expect(needed(request([.create]), session(age: 50), authorization(request([.create]))) == nil)
    }

    @Test func `user flows begin with their own page`() {
        for (kind, step) in [(UserFlow.Kind.signUp, Interaction.signUp), (.passwordReset, .resetPassword)] {
            let flow = Fixture.flow("b2c_1_x", kind)
            #expect(needed(request(), nil, flow: flow) == step)
            #expect(needed(request(), session(age: 500), flow: flow) == step)
            #expect(needed(request(), session(age: 50), authorization(request()), flow: flow) == nil)
        }
        let edit = Fixture.flow("b2c_1_edit", .profileEdit)
        #expect(needed(request(), nil, flow: edit) == .signIn)
        #expect(needed(request(), session(age: 500), flow: edit) == .editProfile)
        #expect(needed(request(), session(age: 50), authorization(request()), flow: edit) == .editProfile)
        #expect(needed(request(), session(age: 50), authorization(request(), edited: "ada"), flow: edit) == nil)
        #expect(needed(request(), session(age: 50), authorization(request(), chosen: "ada"), flow: edit) == .editProfile)
    }

    @Test func `a user flow with a list of providers does not take a session by another one`() {
        var flow = Fixture.flow("b2c_1_x", .signIn)
        flow.providers = ["oidc.acme"]
        #expect(needed(request(), session(age: 5), authorization(request()), flow: flow) == .signIn)
        #expect(needed(request(), session(age: 5, by: "oidc.acme"), flow: flow) == nil)
        flow.providers = ["emailLink"]
        #expect(needed(request(), session(age: 5, by: "password"), flow: flow) == nil)
    }

    @Test func `the person chooses the account when asked to, and for an app's own scheme`() {
        #expect(needed(request([.selectAccount]), session(age: 500)) == .chooseAccount)
        #expect(needed(request([.selectAccount]), session(age: 500), authorization(request([.selectAccount]), chosen: "ada")) == nil)
        // A session that is new is not enough: a client can lead a browser to a provider that signs in without a word.
        #expect(needed(request([.selectAccount]), session(age: 50), authorization(request([.selectAccount]))) == .chooseAccount)
        #expect(
            needed(request([.selectAccount]), session(age: 50), authorization(request([.selectAccount]), chosen: "bob")) == .chooseAccount)
        var app = request()
        app.redirectURI = "com.example.app://oauth/cb"
        #expect(needed(app, session(age: 500), client: Fixture.app) == .chooseAccount)
        #expect(needed(app, session(age: 50), authorization(app), client: Fixture.app) == .chooseAccount)
        #expect(needed(app, session(age: 50), authorization(app, chosen: "ada"), client: Fixture.app) == nil)
        app.redirectURI = "http://127.0.0.1:5000/cb"
        #expect(needed(app, session(age: 500), client: Fixture.app) == .chooseAccount)
        app.redirectURI = "https://app.example.com/cb"
        #expect(needed(app, session(age: 500), client: Fixture.app) == nil)
    }

    @Test func `third parties need consent, and prompt=consent asks anew`() {
        var third = Fixture.server
        third.asksConsent = true
        #expect(needed(request(), session(age: 5), client: third, isAllowed: false) == .consent(scopes: ["openid"]))
        #expect(needed(request(), session(age: 5), client: third, isAllowed: true) == nil)
        #expect(needed(request(), session(age: 5), authorization(request(), consented: "ada"), client: third, isAllowed: false) == nil)
        #expect(
            needed(request(), session(age: 5), authorization(request(), consented: "bob"), client: third, isAllowed: false)
                == .consent(scopes: ["openid"]))
        #expect(needed(request([.consent]), session(age: 5)) == .consent(scopes: ["openid"]))
        #expect(needed(request([.consent]), session(age: 5), authorization(request([.consent]), consented: "ada")) == nil)
        #expect(needed(request([.login, .consent]), session(age: 500), authorization(request(), consented: "ada")) == .signIn)
    }

    @Test func `a session of another account does not answer`() {
        #expect(needed(request(), session(age: 500), isAccountAsked: false) == .signIn)
        #expect(needed(request(), session(age: 50), authorization(request()), isAccountAsked: false) == .otherAccount)
    }

    @Test func `a step that no page can take is an error for the relying party`() {
        #expect(Interaction.signIn.failure(of: request()) == nil)
        #expect(Interaction.otherAccount.failure(of: request()) == .otherAccount)
        let silent = request([.none])
        #expect(Interaction.signIn.failure(of: silent) == .loginRequired)
        #expect(Interaction.chooseAccount.failure(of: silent) == .accountSelectionRequired)
        #expect(Interaction.consent(scopes: []).failure(of: silent) == .consentRequired)
        #expect(Interaction.editProfile.failure(of: silent) == .interactionRequired)
    }
}
