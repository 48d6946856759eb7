/// The settings of one project, from its file in `config/projects/`. Each subject has a file here, with its type, its defaults and its
/// reader.
///
/// Its providers are settings of `Providers`, its templates those of `Pages`; `Projects` puts the three together.
package struct ProjectSettings: Sendable {
    /// `aud` of its ID tokens: lower-case letters, digits and hyphens.
    package var id: String
    /// Firebase calls it the project number.
    package var number: Int64
    package var apiKeys: [String]
    /// Hosts whose pages may start and receive sign-ins: exact, or `*.example.com` when written like this.
    package var authorizedDomains: [String]
    /// Addresses to which a plain browser app may be sent back; compared byte by byte.
    package var redirectURLs: [String]
    /// Native apps that may start sign-ins and get their results.
    package var apps: [NativeApp] = []
    package var redirect = Redirect()
    package var tokens = Tokens()
    package var branding: Branding
    package var mail = Mailing()
    package var passwordPolicy = PasswordPolicy()
    package var signIn = SignInMethods()
    /// When true, no call that is given an address shows whether it has an account; except `signUp`, as with Firebase.
    package var emailEnumerationProtection = true
    package var sessions = Sessions()
    package var limits = Limits()
    package var customTokens = CustomTokens()
    package var audit = Audit()
    /// `nil` where the project is not an OpenID provider.
    package var openIDProvider: OpenIDProvider?

    package init(id: String, number: Int64, apiKeys: [String], authorizedDomains: [String], redirectURLs: [String]) {
        self.id = id
        self.number = number
        self.apiKeys = apiKeys
        self.authorizedDomains = authorizedDomains
        self.redirectURLs = redirectURLs
        branding = Branding(name: id)
    }

    /// Whether a project may have this id: it has the form of one, and no address of this server begins with it.
    package static func isFree(_ id: String) -> Bool { isID(id) && !ReservedNames.contains(id) }

    /// Whether the text can be a project's id: 4 to 30 lower-case letters, digits and hyphens, a letter first and no hyphen last.
    package static func isID(_ text: some StringProtocol) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        let bytes = text.utf8
        return (4...30).contains(bytes.count) && bytes.first.map(isLetter) == true
            && bytes.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
            && !text.hasSuffix("-")
    }
}
