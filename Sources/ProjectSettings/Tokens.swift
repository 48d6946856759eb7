import Config
package import JOSE

extension ProjectSettings {
    /// The contents of a project's ID tokens, and how they are signed: `tokens` of a project's file.
    package struct Tokens: Sendable {
        /// The issuer that ID tokens name.
        package var issuer = Issuer.firebase
        package var lifetime: Duration = .seconds(3600)
        package var algorithm = Algorithm.rs256
        /// Whether they have no signature at all (`alg: none`), as those of the Auth emulator. Only the development project and those made
        /// on the fly can have this (`Configuration`), and only programs of this machine get and use such tokens (`Context`).
        package var unsigned = false

        package init() {}
    }

    /// The values of `tokens.algorithm`.
    enum Signing: String, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case none
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
    /// - Parameter development: whether the server is in development mode, where tokens may lack a signature.
    init(_ section: Section, development: Bool) {
        self.init()
        issuer = section.choice("issuer", default: issuer)
        lifetime = section.duration("lifetime", default: lifetime, in: .seconds(300)...(.seconds(86400)))
        switch section.choice(
            "algorithm", default: ProjectSettings.Signing.rs256, among: development ? ProjectSettings.Signing.allCases : [.rs256, .es256])
        {
        case .rs256: algorithm = .rs256
        case .es256: algorithm = .es256
        case .none: unsigned = true
        }
        section.finish()
    }
}
