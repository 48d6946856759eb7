import JSON
import TestApp
import Testing
import Text

/// A line of a call's table: what is sent, and the beginning of the error that is answered.
struct Refusal: Sendable, CustomTestStringConvertible {
    let body: JSON
    let error: String

    init(_ body: JSON, _ error: String) {
        self.body = body
        self.error = error
    }

    var testDescription: String { "\(body.text().prefix(80)) \(error)" }

    /// Sends each line, and expects its error.
    static func check(_ call: String, _ table: [Refusal], _ app: TestApp) async throws {
        for refusal in table {
            let answer = try await app.post(call, refusal.body)
            #expect(answer.status == 400, "\(refusal.testDescription)")
            #expect(answer.error?.hasPrefix(refusal.error) == true, "\(refusal.testDescription): \(answer.error ?? "no error")")
        }
    }
}

extension TestApp {
    /// Everything that a client may do is switched on.
    static func open() async throws -> TestApp {
        try await TestApp(project: "signIn: {password: true, emailLink: true, anonymous: true}\n")
    }

    /// Signs up, and gives the answer.
    func signUp(_ email: String, _ password: String = "correct horse") async throws -> Answer {
        try await post("signUp", ["email": .string(email), "password": .string(password), "returnSecureToken": true])
    }
}
