/// The parts of a mail's link besides its code.
package struct MailOptions: Sendable {
    /// The tag of a language that the project's templates have, such as `de`.
    package let language: String
    /// The address to which the page behind the link leads on: absolute, and on an authorized host.
    package let continueURL: String?

    package init(language: String, continueURL: String? = nil) {
        self.language = language
        self.continueURL = continueURL
    }
}
