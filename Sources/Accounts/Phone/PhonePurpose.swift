package import Identity
package import ProjectSettings
package import Text

/// The step that a code on a phone is for. A code of one step opens no other (SEC-25).
package enum PhonePurpose: Sendable, Equatable {
    /// A sign-in, or a number for the caller's account.
    case signIn
    /// The number becomes a second factor of the account.
    case enrol(accountID: String)
    /// The number is the second factor of the account whose sign-in waits for one.
    case mfaSignIn(accountID: String, factorID: String?, pending: [UInt8])

    /// The name in the table, and for the page of the operator that sends messages.
    var name: String {
        switch self {
        case .signIn: "signIn"
        case .enrol: "enrol"
        case .mfaSignIn: "mfaSignIn"
        }
    }

    var accountID: String? {
        switch self {
        case .signIn: nil
        case .enrol(let id), .mfaSignIn(let id, _, _): id
        }
    }

    var pending: [UInt8]? { if case .mfaSignIn(_, _, let pending) = self { pending } else { nil } }
    var factorID: String? { if case .mfaSignIn(_, let factor, _) = self { factor } else { nil } }
}

/// A number to which a project sends codes.
package struct PhoneDestination: Sendable {
    package let number: PossiblePhoneNumber
    /// The code that always opens it, of a test number; to such a number nothing is sent.
    let testCode: String?

    /// Whether it is a test number: then the client need not prove that it is an app.
    package var isTest: Bool { testCode != nil }

    /// Throws `invalidPhoneNumber`, and `regionNotEnabled` where the project sends nothing to the region.
    package init(_ text: UTF8Text, in project: ProjectSettings) throws(AccountError) {
        guard let number = PossiblePhoneNumber(text) else { throw .invalidPhoneNumber }
        self.number = number
        testCode = project.phone.testNumbers[number.text]
        guard testCode != nil || project.phone.sends(to: number.region) else { throw .regionNotEnabled }
    }
}
