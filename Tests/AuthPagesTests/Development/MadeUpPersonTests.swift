@testable import Accounts
@testable import AuthPages
import HTTP
import JSON
import Testing
import Text

@Suite struct MadeUpPersonTests {
    @Test func `makes the claims of the emulator's page, without those that are empty`() {
        let person = MadeUpPerson([
            "email": " ada@example.com ", "email_verified": "on", "name": "Ada", "screen_name": "countess",
            "picture": "https://a.example/b",
        ])
        #expect(person.isValid)
        #expect(
            person.claims == [
                "sub": .string(person.subject), "iss": "", "aud": "", "exp": 0, "iat": 0, "name": "Ada", "screen_name": "countess",
                "email": "ada@example.com", "email_verified": true, "picture": "https://a.example/b",
            ])
        #expect(person.subject.utf8.count == 40 && person.subject.utf8.allSatisfy { (0x30...0x39).contains($0) })
        let bare = MadeUpPerson([:] as Form)
        #expect(bare.isValid && bare.subject != person.subject)
        #expect(bare.claims == ["sub": .string(bare.subject), "iss": "", "aud": "", "exp": 0, "iat": 0])
        #expect(MadeUpPerson(["email": "ada@example.com"]).claims["email_verified"] == false)
    }

    @Test(arguments: [["email": "ada"], ["email": "a b@c.d"], ["picture": "ada.png"], ["picture": "javascript:alert(1)"]] as [Form])
    func `finds what is not an address`(form: Form) { #expect(!MadeUpPerson(form).isValid) }

    @Test func `takes a hint for the address, where it is one`() {
        #expect(MadeUpPerson(hint: "Ada@example.com").email == "ada@example.com")
        #expect(MadeUpPerson(hint: "ada").email == "" && MadeUpPerson(hint: nil).email == "")
    }

    @Test func `keeps who a person is that signed in before`() {
        for isVerified in [true, false] {
            let known = LinkedIdentity(
                providerID: "github.com", subject: "7", email: "ada@example.com", emailVerified: isVerified, displayName: "Ada",
                photoURL: nil, screenName: "countess")
            let claims = MadeUpPerson(known).claims
            #expect(claims["sub"] == "7" && claims["screen_name"] == "countess" && claims["email_verified"] == .bool(isVerified))
        }
    }

    @Test func `makes random people whole, and each another`() {
        let people = (0..<50).map { _ in MadeUpPerson.random() }
        for person in people { #expect(person.isValid && !person.email.isEmpty && person.name.contains(" ") && !person.screenName.isEmpty) }
        #expect(Set(people.map(\.subject)).count == 50 && Set(people.map(\.email)).count > 40)
    }
}
