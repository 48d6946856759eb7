import HTTP
import Web

/// The paths of each endpoint of the provider: in the shape of the project itself, and in every shape in which Azure AD B2C has it.
/// `IssuerAddress` finds out which project and which user flow a path means.
enum IssuerRoutes {
    /// An endpoint below `/{project}/oauth2/`, and below `oauth2/v2.0/` in the shape of Azure AD B2C.
    static func oauth(_ method: HTTP.Method, _ name: String, access: Route.Access = .anyone) -> Route {
        Route(method, "/{project}/oauth2/\(name)", aliases: flowPaths("oauth2/v2.0/\(name)"), access: access)
    }

    /// An endpoint of a user flow, with the user flow in the path or in `?p=`.
    static func flow(_ method: HTTP.Method, _ tail: String, aliases: [String] = []) -> Route {
        Route(method, "/{project}/{policy}/\(tail)", aliases: flowPaths(tail).dropFirst() + aliases, access: .anyone)
    }

    /// `/te/` is in the addresses of a sample for AppAuth, and `/tfp/` in those of MSAL for Apple's systems.
    static func flowPaths(_ tail: String) -> [String] {
        ["/{project}/{policy}/\(tail)", "/{project}/\(tail)"]
            + ["te", "tfp"].flatMap { ["/\($0)/{project}/{policy}/\(tail)", "/\($0)/{project}/\(tail)"] }
    }
}
