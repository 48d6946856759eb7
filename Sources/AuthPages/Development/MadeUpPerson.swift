import Accounts
import Crypto
import HTTP
import Identity
import JSON
import Text

/// A person at a provider, as a developer makes one up.
struct MadeUpPerson {
    var subject = Self.digits(40)
    var email = ""
    var isEmailVerified = true
    var name = ""
    var screenName = ""
    var picture = ""

    /// Whether the address can be a mailbox, or is left out: not every provider tells an address.
    var hasFitEmail: Bool { email.isEmpty || EmailAddress.canonical(email) != nil }
    var hasFitPicture: Bool { picture.isEmpty || URI.parse(picture) != nil }
    var isValid: Bool { hasFitEmail && hasFitPicture }

    /// The claims that the page of Firebase's Auth emulator makes.
    /// <https://github.com/firebase/firebase-tools/blob/master/src/emulator/auth/widget_ui.ts>, `createFakeClaims`
    var claims: JSON {
        var claims: JSON.Object = ["sub": .string(subject), "iss": "", "aud": "", "exp": 0, "iat": 0]
        let texts: [(UTF8Text, String)] = [("name", name), ("screen_name", screenName), ("email", email), ("picture", picture)]
        for (claim, text) in texts where !text.isEmpty { claims[claim] = .string(text) }
        if !email.isEmpty { claims["email_verified"] = .bool(isEmailVerified) }
        return .object(claims)
    }
}

extension MadeUpPerson {
    /// A new person, as the page's form describes them.
    init(_ form: Form) {
        email = Self.text("email", form)
        name = Self.text("name", form)
        screenName = Self.text("screen_name", form)
        picture = Self.text("picture", form)
        isEmailVerified = form["email_verified"] != nil
    }

    /// A new person with the address that the app hints at.
    init(hint: UTF8Text?) { email = hint.flatMap { EmailAddress.canonical($0.asString) } ?? "" }

    /// A person who signed in before.
    init(_ identity: LinkedIdentity) {
        subject = identity.subject
        email = identity.email ?? ""
        isEmailVerified = identity.emailVerified
        name = identity.displayName ?? ""
        screenName = identity.screenName ?? ""
        picture = identity.photoURL ?? ""
    }

    /// A new person with a name and an address that are most likely new, too.
    static func random() -> MadeUpPerson {
        let (given, family) = (pick(givenNames), pick(familyNames))
        var person = MadeUpPerson()
        person.name = "\(given) \(family)"
        person.email = "\(given).\(family).\(digits(4))@example.com".lowercased()
        person.screenName = "\(family)_\(given)".lowercased()
        return person
    }

    private static let givenNames = ["Amber", "Basil", "Clover", "Daisy", "Fern", "Ivy", "Jasper", "Linden", "Olive", "Robin"]
    private static let familyNames = ["Badger", "Falcon", "Heron", "Lynx", "Marten", "Otter", "Raven", "Salmon", "Tortoise", "Wren"]

    private static func pick(_ names: [String]) -> String { names[Int(Random.bytes(1)[0]) % names.count] }

    private static func digits(_ count: Int) -> String { Random.bytes(count).map { "\($0 % 10)" }.joined() }

    private static func text(_ name: UTF8Text, _ form: Form) -> String { (form[name] ?? "").trimmed.asString }
}
