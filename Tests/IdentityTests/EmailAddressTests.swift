import Testing
import Text

@testable import Identity

@Suite struct EmailAddressTests {
    @Test(arguments: [
        ("ada@example.com", "ada@example.com"), ("ADA@Example.COM", "ada@example.com"), ("ada+shop@localhost", "ada+shop@localhost"),
        ("o'neil.b@xn--bcher-kva.example", "o'neil.b@xn--bcher-kva.example"), ("a!#$%&*-/=?^_`{|}~@b-c.de", "a!#$%&*-/=?^_`{|}~@b-c.de"),
    ])
    func `takes what can be mailed, in lower case`(text: String, canonical: String) {
        #expect(EmailAddress.canonical(text) == canonical)
        #expect(EmailAddress.canonical(String(repeating: "a", count: 64) + "@example.com") != nil)
    }

    @Test(arguments: [
        "ada\u{200B}@example.com", "\u{FEFF}ada@example.com", "ada@exa\u{AD}mple.com", "ada\u{202E}@example.com",
        "ada\u{E0041}@example.com",
        "ren\u{E9}@example.com", "rene\u{301}@example.com", "ada@b\u{FC}cher.example", "\u{430}da@example.com", "ada\u{FF20}example.com",
        "\u{212A}ate@example.com", "ada@example\u{3002}com",
    ])
    func `takes no characters that look like others, or like nothing`(text: String) {
        #expect(EmailAddress.canonical(text) == nil)
    }

    @Test(arguments: [
        "<ada@example.com>", "Ada <ada@example.com>", "\"ada\"@example.com", "\"a b\"@example.com", "ada(x)@example.com", "ada@[127.0.0.1]",
        ".ada@example.com", "ada.@example.com", "a..da@example.com", "ada@.example.com", "ada@example.com.", "ada@example..com",
        "ada@-example.com", "ada@example-.com", "ada@exam_ple.com", "a,b@example.com", "a;b@example.com", "a:b@example.com",
        "a\\b@example.com",
        "a b@example.com", "a\u{0}b@example.com", "ada@example.com\r\n", "ada@example.com\nBcc: eve@example.com", "a@b@c", "@b", "a@", "",
        "@",
    ])
    func `takes nothing that mail servers read in another way`(text: String) {
        #expect(EmailAddress.canonical(text) == nil)
    }

    @Test func `takes no part that is longer than it may be`() {
        #expect(EmailAddress.canonical(String(repeating: "a", count: 65) + "@example.com") == nil)
        #expect(EmailAddress.canonical("a@" + String(repeating: "b", count: 64) + ".com") == nil)
        #expect(EmailAddress.canonical("a@" + String(repeating: "b.", count: 126) + "com") == nil)
    }

    @Test(arguments: [
        ("ada+news@example.com", "ada@example.com"), ("ada+a+b@example.com", "ada@example.com"), ("ada+@example.com", "ada@example.com"),
        ("ada@example.com", "ada@example.com"), ("+ada@example.com", "+ada@example.com"), ("a.da@x+y.example", "a.da@x+y.example"),
        ("nonsense", "nonsense"), ("a+b", "a+b"),
    ])
    func `names the mailbox without the tag`(address: String, mailbox: String) {
        #expect(EmailAddress.mailbox(of: address) == mailbox)
    }

    @Test func `keeps no address of a provider that could not be mailed, and no word on it`() {
        let identity = ProviderIdentity(
            providerID: "oidc.x", issuer: "https://x.example", subject: "1", email: "ren\u{E9}@example.com", emailVerified: true,
            emailAuthoritative: true)
        #expect(identity.kept.email == nil && !identity.kept.emailVerified && !identity.kept.emailAuthoritative)
    }

    @Test(arguments: [
        (" ada@example.com", "ada@example.com"), ("ada@example.com \r\n", "ada@example.com"), ("\tada@example.com", "ada@example.com"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"), ("ada@BÜCHER.example", "ada@xn--bcher-kva.example"),
        ("ada@mañana.com", "ada@xn--maana-pta.com"), ("ada@例え.jp", "ada@xn--r8jz45g.jp"),
        ("ada@пример.испытание", "ada@xn--e1afmkfd.xn--80akhbyknj4f"),
        ("ada@他们为什么不说中文", "ada@xn--ihqwcrb4cv8a8dqg056pqjye"), ("ada@bücher.münchen.de", "ada@xn--bcher-kva.xn--mnchen-3ya.de"),
    ])
    func `reads a provider's address without spaces around it, and its domain as the DNS has it`(text: String, address: String) {
        #expect(EmailAddress.ofProvider(UTF8Text(text)).asString == address)
        #expect(EmailAddress.canonical(address) == address)
    }

    @Test(arguments: [
        "ada@\u{FF47}mail.com", "ada@\u{212A}ate.com", "ada@example\u{3002}com", "ada@b\u{75}\u{308}cher.example",
        "ada@stra\u{DF}e.example",
        "ada@\u{130}stanbul.com", "ada@exa\u{AD}mple.com", "ada@\u{200B}example.com", "ada@b ü.example", "ren\u{E9}@example.com", "ada", "",
        "ada@\u{1D5D4}.com",
    ])
    func `makes no address of what only looks like one`(text: String) {
        #expect(EmailAddress.canonical(EmailAddress.ofProvider(UTF8Text(text)).asString) == nil)
    }
}
