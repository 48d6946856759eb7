import Accounts
import Config
import FoundationEssentials
import HTTP
import TestKit
import ProjectSettings
import Testing

import Text
@testable import Pages
@testable import Providers

@Suite struct TemplateTests {
    private let branding = Branding(name: "Acme & Sons", accent: "#ffcc00")
    private var templates: Templates { Templates(branding: branding) }
    private var outgoing: OutgoingMail {
        OutgoingMail(
            .resetPassword, to: "ada@example.com", language: "de", link: "https://auth.example.com/__/auth/action?mode=x&oobCode=y",
            displayName: "Ada Lovelace")
    }

    private func html(_ response: Response) -> String { String(decoding: response.body, as: UTF8.self) }

    private func overridden(_ files: [String: String]) throws -> (Templates, [Fault]) {
        let folder = try TestFolder(files)
        let faults = Faults()
        let templates = withExtendedLifetime(folder) {
            Templates(branding: branding, folder: folder.path, names: files.keys.sorted(), faults: faults)
        }
        return (templates, faults.all)
    }

    private func faults(_ name: String, _ text: String) throws -> [String] { try overridden([name: text]).1.map(\.message) }

    @Test func `every file of the folder is in the binary`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root + "/Sources/Pages/Templates")
        #expect(EmbeddedTemplates.files.keys.sorted() == names.sorted())
    }

    @Test(arguments: EmbeddedTemplates.files.keys.sorted()) func `every file in the binary could be a project's own`(_ name: String) throws
    {
        #expect(try faults(name, EmbeddedTemplates.text(of: name)).isEmpty)
    }

    @Test func `a page has the logo inside, and may show no other picture`() {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00]
        var branding = branding
        branding.logo = Logo(png)
        let page = Templates(branding: branding).page("app", in: "en")
        #expect(html(page).contains(#"<img class="logo" src="data:image/png;base64,iVBORw0KGgoA" alt="">"#))
        #expect(page.headers["content-security-policy"]?.asString.contains("img-src data:; ") == true)
        let plain = templates.page("app", in: "en")
        #expect(!html(plain).contains("<img"))
        #expect(plain.headers["content-security-policy"]?.asString.contains("img-src") == false)
    }

    @Test func `a project may replace what the pages with a form share, and one of them with or without it`() throws {
        let own = "{{<page}}{{$content}}<h2>{{heading}}</h2>{{$form}}{{/form}}{{/content}}{{/page}}"
        let code = "{{<page}}{{$content}}{{heading}}!{{/content}}{{/page}}"
        let (templates, faults) = try overridden(["form.html": own, "page.code.html": code])
        #expect(faults.isEmpty)
        let email = html(templates.page("email", in: "en", ["heading": .text("Hello"), "hasEmail": .flag(true)]))
        #expect(email.contains("<h2>Hello</h2>") && email.contains(#"id="email""#) && !email.contains(#"id="cancel""#))
        #expect(html(templates.page("code", in: "en", ["heading": .text("Hello")])).contains("Hello!"))
        #expect(try self.faults("page.app.html", "{{<form}}{{/form}}") == ["{{<form}} is not a layout for this file"])
        #expect(try self.faults("form.html", "{{<form}}{{/form}}") == ["{{<form}} is not a layout for this file"])
    }

    @Test func `every language has every word`() throws {
        let files = TemplateFiles.standard
        let english = try #require(files.words["en"]?.value.names)
        #expect(english.count > 20)
        for (language, words) in files.words { #expect(words.value.names == english, "words.\(language).yaml") }
    }

    @Test(arguments: OutgoingMail.Kind.allCases) func `says every outgoing in every language with its link`(_ kind: OutgoingMail.Kind) {
        var outgoing = outgoing
        outgoing.kind = kind
        outgoing.newEmail = "new@example.com"
        var subjects: Set<String> = []
        for language in templates.languages {
            outgoing.language = language
            let mail = templates.mail(outgoing)
            #expect(mail.subject.contains("Acme & Sons"))
            #expect(mail.text.contains(outgoing.link))
            #expect(mail.text.contains("Ada Lovelace"))
            #expect(mail.html.contains("href=\"https://auth.example.com/__/auth/action?mode=x&amp;oobCode=y\""))
            #expect(mail.html.contains("Acme &amp; Sons"))
            #expect(mail.html.contains("#ffcc00"))
            #expect(!(mail.subject + mail.text + mail.html).contains("{{"))
            subjects.insert(mail.subject)
        }
        #expect(subjects.count == templates.languages.count)
        #expect(TemplateFiles.mails.contains(kind.rawValue))
    }

    @Test func `writes a mail in German`() {
        let mail = templates.mail(outgoing)
        #expect(mail.subject == "Neues Passwort für Acme & Sons")
        #expect(
            mail.text == """
                Guten Tag, Ada Lovelace,

                für das Konto von ada@example.com bei Acme & Sons wurde ein neues Passwort angefordert. Hier legen Sie es fest:

                https://auth.example.com/__/auth/action?mode=x&oobCode=y

                Falls Sie das nicht angefordert haben, ignorieren Sie diese Mail: Das Passwort bleibt, wie es ist.

                -- \("")
                Acme & Sons

                """)
    }

    @Test(arguments: ["http://evil.example", "You won: call 123", "a@b", "line\nbreak", String(repeating: "a", count: 41), "<b>"])
    func `does not greet by what could be a message of its own`(_ name: String) {
        var outgoing = outgoing
        outgoing.displayName = name
        let mail = templates.mail(outgoing)
        #expect(mail.text.hasPrefix("Guten Tag,\n"))
        #expect(!mail.html.contains(name))
    }

    @Test func `escapes every value, whatever combining characters stand behind a sign`() {
        let hostile = "<img src=x onerror=alert(1)>\"'& \"\u{301} <\u{338}script>"
        let page = html(templates.page("refused", in: "en", ["project": .text(hostile), "reason": .text(hostile), "link": .text(hostile)]))
        let escaped = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; &quot;\u{301} &lt;\u{338}script&gt;"
        #expect(page.components(of: escaped) >= 4)
        #expect(!page.unicodeScalars.elementsEqual(hostile.unicodeScalars))
        #expect(!page.contains("<img"))
        #expect(!page.contains("script>"))
    }

    @Test func `writes a provider's mark as it is, and escapes the words beside it`() {
        let mark = ProviderMark(#"<path d="M0 0"/>"#)
        let button: [String: TemplateValue] = ["id": "x.example", "mark": .mark(mark), "label": "<b>"]
        for name in ["signIn", "email"] {
            for place in ["providersFirst", "providersLast"] {
                let page = html(templates.page(name, in: "en", ["providers": .list([button]), place: true]))
                #expect(page.contains(#"value="x.example">\#(mark.svg)&lt;b&gt;</button>"#), "\(name), \(place)")
            }
        }
        #expect(mark.svg.hasSuffix(#" aria-hidden="true"><path d="M0 0"/></svg>"#))
    }

    @Test func `draws a QR code, and labels it`() throws {
        let code = try #require(QRCode("otpauth://totp/a:b?secret=AA", label: "a \"b\""))
        #expect(code.svg.hasPrefix("<svg class=\"qr\" viewBox=\"0 0 ") && code.svg.contains("aria-label=\"a &quot;b&quot;\""))
        // The corner of the pattern that cameras look for is behind the margin.
        #expect(code.svg.contains("M4 4h1v1h-1z") && !code.svg.contains("M3 "))
        #expect(QRCode("", label: "") == nil && QRCode(String(repeating: "a", count: 3000), label: "") == nil)
    }

    @Test func `lets through the scripts and frames of a guest, and its style where it brings one`() throws {
        let guest = GuestScript(sources: ["https://captcha.example"], bringsStyle: false)
        let policy = { (guest: GuestScript) in
            PagePolicy([.scripts, .forms]).headers(styleHash: "x", guest: guest)["content-security-policy"]?.asString ?? ""
        }
        #expect(policy(guest).contains("script-src 'self' https://captcha.example; connect-src 'self' https://captcha.example; "))
        #expect(policy(guest).contains("frame-src https://captcha.example; ") && policy(guest).contains("style-src 'sha256-x'"))
        let styled = policy(GuestScript(sources: ["https://captcha.example"], bringsStyle: true))
        #expect(styled.contains("style-src 'unsafe-inline' https://captcha.example;") && !styled.contains("sha256"))
        #expect(!styled.contains("script-src 'self' 'unsafe-inline'") && styled.contains("frame-ancestors 'none'"))
    }

    @Test func `lets through the one style of the page and nothing else`() throws {
        let response = templates.page("refused", in: "en", ["reason": "T"])
        let policy = try #require(response.headers["content-security-policy"]).asString
        let page = html(response)
        let parts = page.split(separator: "<style>")[1].split(separator: "</style>")
        #expect(policy.contains("style-src 'sha256-\(PagePolicy.hash(String(parts[0])))'"))
        #expect(policy.hasPrefix("default-src 'none'; style-src"))
        #expect(policy.contains("form-action 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(parts[0].contains("--accent:#ffcc00;--on-accent:#000000"))
        let form = try #require(templates.page("refused", in: "en", allowing: [.forms, .scripts]).headers["content-security-policy"])
        #expect(form.contains("form-action 'self'") && form.contains("script-src 'self'"))
        let leaving = try #require(templates.page("refused", in: "en", allowing: .formsToAnywhere).headers["content-security-policy"])
        #expect(!leaving.contains("form-action") && leaving.contains("frame-ancestors 'none'"))
    }

    @Test func `leaves out what has no value and the project where there is none`() {
        let page = html(Templates.standard.page("refused", in: "en", ["reason": "Text"], status: 400))
        #expect(page.contains("<title>Sign-in did not work</title>"))
        #expect(page.contains(">Text<"))
        #expect(!page.contains("<header>") && !page.contains("class=\"button\""))
    }

    @Test func `takes a project's files one by one and leaves the rest`() throws {
        let (templates, faults) = try overridden([
            "mail.resetPassword.subject.de.txt": "{{project}}: los\n", "mail.txt": "{{words.text}} {{link}}",
            "words.fr.yaml": "mail: {signIn: {subject: 'Connexion à {{project}}'}}",
            "words.de.yaml": "mail: {common: {greeting: 'Moin,'}}", "page.css": "body{color:red}",
        ])
        #expect(faults.isEmpty)
        #expect(templates.languages == ["de", "en", "fr"])
        let german = templates.mail(outgoing)
        #expect(german.subject == "Acme & Sons: los")
        #expect(german.text.hasPrefix("für das Konto"))
        #expect(german.html.contains("Moin,") && german.html.contains("Neues Passwort festlegen"))
        var outgoing = outgoing
        outgoing.kind = .signIn
        outgoing.language = "fr"
        let french = templates.mail(outgoing)
        #expect(french.subject == "Connexion à Acme & Sons")
        #expect(french.html.contains("Hello Ada Lovelace,"), "what French leaves out is said in English")
    }

    @Test func `names what is wrong with a project's files, and where`() throws {
        let (_, faults) = try overridden(["mail.txt": "Hello\n\n{{words.text}}\n{{lnk}}\n"])
        let fault = try #require(faults.first)
        #expect(fault.file.hasSuffix("/mail.txt") && fault.line == 4)
        #expect(fault.message.hasPrefix("{{lnk}} is not a value of this file; its values are accent, "))
        #expect(try self.faults("mail.resetPasword.html", "x").first?.contains("not one of the files") == true)
        func message(_ text: String) throws -> String? { try self.faults("words.en.yaml", "message: {code: {text: \"\(text)\"}}").first }
        #expect(try message("Hello from Acme")?.contains("needs {{code}}") == true)
        #expect(try message("{{code}} at https://evil.example")?.contains("must not have a link") == true)
        #expect(try message("{{code}} is your code") == nil)
        #expect(try self.faults("mail.html", "{{#link}}x").first == "{{#link}} has no {{/link}}")
        #expect(try self.faults("mail.html", "{{link").first == "a tag is not closed with }}")
        #expect(try self.faults("mail.html", "{{/link}}").first?.contains("closes nothing") == true)
        #expect(try self.faults("words.de.yaml", "mail: {signIn: {subjet: x}}").first?.contains("not a word of this mail or page") == true)
        #expect(
            try self.faults("words.de.yaml", "mail: {signIn: {subject: '{{oobCode}}'}}").first?.contains("is not a value of this word")
                == true
        )
        #expect(
            try self.faults("words.de.yaml", "mail: {signin: {}}") == ["is not a mail or page with words; words.en.yaml lists all of them"])
        #expect(try self.faults("page.css", "</style><script>").count == 1)
        #expect(try self.faults("mail.html", "{{words.buton}}").first?.contains("not a word of this file") == true)
        #expect(try self.faults("mail.html", "{{words.button}}").isEmpty)
        #expect(try self.faults("page.refused.html", "{{words.button}}").count == 1)
    }

    @Test(arguments: [
        "{{{link}}}", "{{&link}}", "{{>mail}}", "{{<mail}}{{/mail}}", "{{=<% %>=}}", "{{% CONTENT_TYPE:HTML}}", "{{upper(link)}}", "{{}}",
    ])
    func `takes no tag that could let a value through or run in circles`(_ tag: String) throws {
        #expect(try faults("mail.html", tag).count == 1)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        let (text, part) = (Array(utf8), Array(part.utf8))
        return text.indices.count { text[$0...].starts(with: part) }
    }
}
