import Config
package import JOSE

extension ProjectSettings {
    /// What a project's ID tokens say, and how they are signed: `tokens` of a project's file.
    package struct Tokens: Sendable {
        /// The issuer that ID tokens name.
        package var issuer = Issuer.firebase
        package var lifetime: Duration = .seconds(3600)
        package var algorithm = Algorithm.rs256

        package init() {}
    }

    package enum Issuer: String, Sendable, CaseIterable {
        /// `https://securetoken.google.com/<project>`, which the Firebase Admin SDKs require.
        case firebase
        /// `<publicURL>/<project>`, which standard discovery needs.
        case gatehouse
    }

    /// `iss` of the project's ID tokens.
    /// - Parameter publicURL: the server's own address.
    package func issuer(publicURL: String) -> String {
        switch tokens.issuer {
        case .firebase: "https://securetoken.google.com/\(id)"
        case .gatehouse: "\(publicURL)/\(id)"
        }
    }
}

extension ProjectSettings.Tokens {
    init(_ section: Section) {
        self.init()
        issuer = section.choice("issuer", default: issuer)
        lifetime = section.duration("lifetime", default: lifetime, in: .seconds(300)...(.seconds(86400)))
        algorithm = section.choice("algorithm", default: algorithm, among: [.rs256, .es256])
        section.finish()
    }
}
