import Accounts
import ProjectSettings
import TestKit
import Testing
import Text

@testable import Pages

/// Mails to a person with values that another person or a provider wrote.
@Suite struct HostileMailTests {
    @Test(arguments: OutgoingMail.Kind.allCases) func `SEC-67 a mail has nothing of a hostile name but its text`(_ kind: OutgoingMail.Kind)
    {
        let templates = Templates(branding: Branding(name: "Acme"))
        let plain = templates.mail(OutgoingMail(kind, to: "ada@example.com", language: "en", link: "https://auth.example.com/x"))
        for hostile in HostileText.all {
            let text = hostile.asString
            let mail = templates.mail(
                OutgoingMail(
                    kind, to: "ada@example.com", language: "en", link: "https://auth.example.com/x", displayName: text, providerID: text))
            #expect(mail.subject.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(text)")
            // As many tags and attributes as without the name.
            let marks: [Unicode.Scalar] = ["<", ">", "\""]
            for mark in marks {
                let count = mail.html.unicodeScalars.count { $0 == mark }
                let without = templates.mail(
                    OutgoingMail(
                        kind, to: "ada@example.com", language: "en", link: "https://auth.example.com/x", providerID: "google.com"))
                #expect(count == without.html.unicodeScalars.count { $0 == mark }, "\(kind) \(text)")
            }
            #expect(!mail.text.contains("{{#words}}") || mail.text.contains(text), "values are not read as templates")
        }
        #expect(!plain.html.isEmpty)
    }
}
