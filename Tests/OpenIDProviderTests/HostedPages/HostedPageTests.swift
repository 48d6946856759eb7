import Testing
@testable import OpenIDProvider

@Suite struct HostedPageTests {
    private var full: SignInOffer {
        var offer = SignInOffer()
        (offer.hasPassword, offer.hasCode, offer.signsIn) = (true, true, true)
        (offer.signsUp, offer.makesAccounts, offer.resets) = (true, true, true)
        return offer
    }

    private func shown(_ asked: HostedPage?, _ needed: Interaction?, _ change: (inout HostedPage.Facts) -> Void = { _ in }) -> HostedPage? {
        var facts = HostedPage.Facts(needed: needed, offer: full)
        change(&facts)
        return HostedPage.shown(asked: asked, facts)
    }

    @Test(
        arguments: [
            (Interaction.signIn, HostedPage.signIn), (.signUp, .signUp), (.resetPassword, .reset), (.chooseAccount, .accounts),
            (.editProfile, .profile), (.enrolFactor, .enrol), (.consent(scopes: ["openid"]), .consent),
        ])
    func `begins with the page of the step that is needed`(_ needed: Interaction, _ page: HostedPage) {
        #expect(shown(nil, needed) == page)
    }

    @Test func `goes on when nothing is needed, and when no page can help`() {
        for page in HostedPage.allCases {
            #expect(shown(page, nil) == nil)
            #expect(shown(page, .otherAccount) == nil)
        }
    }

    @Test func `shows the pages towards a session when a person asks for another account`() {
        #expect(shown(.signIn, .chooseAccount) == .signIn)
        #expect(shown(.signUp, .chooseAccount) == .signUp)
        #expect(shown(.accounts, .chooseAccount) == .accounts)
    }

    @Test(arguments: [Interaction.signIn, .signUp, .chooseAccount, .resetPassword])
    func `asks for an address before its code, and for the code before a password`(_ needed: Interaction) {
        #expect(shown(.resetCode, needed) == .reset)
        #expect(shown(.newPassword, needed) == .reset)
        #expect(shown(.newPassword, needed) { $0.isCodeMailed = true } == .reset)
        #expect(shown(.resetCode, needed) { $0.isCodeMailed = true } == .resetCode)
        #expect(shown(.newPassword, needed) { ($0.isCodeMailed, $0.isEmailProven) = (true, true) } == .newPassword)
        guard needed != .resetPassword else { return }
        #expect(shown(.signUpCode, needed) == .signUp)
        #expect(shown(.signUpDetails, needed) { $0.isCodeMailed = true } == .signUp)
        #expect(shown(.signUpDetails, needed) { $0.isEmailProven = true } == .signUpDetails)
    }

    @Test(arguments: [Interaction.signIn, .signUp, .chooseAccount, .resetPassword])
    func `asks for a second factor only while a sign-in waits for it, and for the app where the person has one`(_ needed: Interaction) {
        let steps = [HostedPage.secondFactor, .passkey, .phoneCode, .recoveryCode]
        for page in steps {
            #expect(shown(page, needed) == shown(nil, needed))
            #expect(shown(page, needed) { $0.secondSteps = steps } == page)
            for other in steps { #expect(shown(page, needed) { $0.secondSteps = [other] } == other) }
        }
        #expect(shown(nil, needed) { $0.secondSteps = [.secondFactor] } == shown(nil, needed))
    }

    @Test func `leaves the enrolment that a project demands to no other page`() {
        for page in HostedPage.allCases { #expect(shown(page, .enrolFactor) == .enrol) }
        for needed in [Interaction.signIn, .chooseAccount, .editProfile, .consent(scopes: [])] { #expect(shown(.enrol, needed) != .enrol) }
    }

    @Test func `shows no page that the project does not offer`() {
        for page in [HostedPage.signUp, .signUpCode, .signUpDetails, .reset, .resetCode, .newPassword, .signInCode] {
            let shown = shown(page, .signIn) {
                ($0.offer.signsUp, $0.offer.resets, $0.offer.hasCode) = (false, false, false)
                ($0.isCodeMailed, $0.isEmailProven) = (true, true)
            }
            #expect(shown == .signIn)
        }
        #expect(shown(.signIn, .signUp) { $0.offer.signsIn = false } == .signUp)
    }

    @Test(arguments: HostedPage.allCases)
    func `a user flow for passwords shows only its own pages`(_ page: HostedPage) {
        let shown = shown(page, .resetPassword) { ($0.isCodeMailed, $0.isEmailProven) = (true, true) }
        #expect(shown == .reset || shown == .resetCode || shown == .newPassword)
    }

    @Test(arguments: HostedPage.allCases)
    func `consent and profile cannot be left out`(_ page: HostedPage) {
        #expect(shown(page, .consent(scopes: [])) == .consent)
        #expect(shown(page, .editProfile) == .profile)
    }

    @Test func `asks a new account for its attributes before the request goes on`() {
        #expect(shown(.profile, nil) { $0.mayComplete = true } == .profile)
        #expect(shown(.profile, .consent(scopes: [])) { $0.mayComplete = true } == .profile)
        #expect(shown(.signIn, nil) { $0.mayComplete = true } == nil)
    }
}
