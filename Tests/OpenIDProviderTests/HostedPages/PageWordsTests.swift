import Accounts
import HTTP
import Pages
import ProjectSettings
import Providers
import Testing
@testable import OpenIDProvider

@Suite struct PageWordsTests {
    @Test func `says each standard scope in words, and names any other`() {
        let words = OAuthClient.knownScopes.map(ConsentWords.word)
        #expect(words.allSatisfy { if case .word("other", _) = $0 { false } else { true } })
        #expect(ConsentWords.word(for: "https://api.example/read") == .word("other", ["scope": "https://api.example/read"]))
    }

    @Test func `writes rules only for providers that have colours, by light and by dark`() {
        let plain = ProviderButton(id: "oidc.plain", name: "Plain", style: ButtonStyle())
        #expect(ProviderStyle.rules(for: [plain]) == "")
        let light = ProviderButton(id: "a", name: "A", style: ButtonStyle(light: .init("#111111", on: "#eeeeee")))
        let both = ProviderButton(
            id: "b", name: "B", style: ButtonStyle(light: .init("#1", on: "#2"), dark: .init("#3", on: "#4", border: "#5")))
        let rule = ".p1{--text:#111111;--back:#eeeeee;--edge:#eeeeee}"
        #expect(ProviderStyle.rules(for: [plain, light]) == rule)
        #expect(
            ProviderStyle.rules(for: [plain, light, both])
                == rule + ".p2{--text:#1;--back:#2;--edge:#2}@media(prefers-color-scheme:dark){.p2{--text:#3;--back:#4;--edge:#5}}")
    }

    /// The words that code chooses, by the templates that it shows them on.
    @Test(arguments: [
        ("signIn", ["heading", "wrongCredentials", "wrongPassword", "oldPassword"]),
        ("email", ["signUpHeading", "signUpText", "resetHeading", "resetText"]),
        ("code", ["heading", "sentAgain", "wrongCode", "missingCode"]),
        ("password", ["signUpHeading", "signUpText", "signUpButton", "resetHeading", "resetText", "resetButton", "newPassword", "exists"]),
        ("profile", ["heading", "newText", "editText"]), ("accounts", ["heading"]),
        ("consent", ["heading", "openid", "profile", "emailScope", "phone", "address", "offline", "other"]),
    ])
    func `every word that code chooses exists`(_ template: String, _ own: [String]) {
        let common = [
            "badEmail", "missingPassword", "missingName", "badName", "tooMany", "disabled", "notNew", "weak", "unknownEmail", "declined",
            "providerDown", "providerFailed", "confirmByPassword", "confirmByProvider", "confirmByBoth", "confirmFirstUnnamed", "password",
            "displayName", "givenName", "surname", "providerSignIn", "providerContinue",
        ]
        for word in own + common {
            let values: [String: TemplateValue] = [
                "hasFaults": true, "faults": .list([["text": .word(word)]]), "client": "App", "email": "a@example.com",
            ]
            let html = String(decoding: Templates.standard.page(template, in: "de", values).body, as: UTF8.self)
            #expect(!html.contains("<p></p>"), "\(word) on \(template)")
        }
    }

    @Test func `every page's code page leads back to the page of its address`() {
        #expect(HostedPage.signUpCode.addressPage == .signUp)
        #expect(HostedPage.resetCode.addressPage == .reset)
        #expect(HostedPage.signInCode.addressPage == .signIn)
    }
}
