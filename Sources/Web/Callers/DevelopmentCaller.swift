import Accounts
import HTTP
import ProjectSettings
package import Projects
package import Providers
import Text

/// The permissions of a caller that exist in development mode alone, for the project that `developmentProject` names, from the server's own
/// machine (SEC-22).
extension Context {
    /// Whether the call may lack a proof that production asks for.
    package var isOfDevelopment: Bool {
        guard let project = try? project, isOnOwnMachine(for: project) else { return false }
        do { try Access.checkLocality(request, services.projects.current) } catch { return false }
        return true
    }

    /// The providers whose people a page that a browser opens may make up; `nil` where there are none.
    ///
    /// Unlike a call, a page may be opened from any site: a sign-in begins with an app's link to it. The person decides on the page, and
    /// the flow's cookie and the app's authorized domain decide who gets the result.
    package func developmentProviders(of project: Project) -> DevelopmentProviders? {
        isOnOwnMachine(for: project) ? believingEveryClaim(of: project) : nil
    }

    /// The providers of the caller's project whose people this call may make up.
    var developmentProviders: DevelopmentProviders? {
        guard isOfDevelopment, let project = try? project else { return nil }
        return believingEveryClaim(of: project)
    }

    private func isOnOwnMachine(for project: Project) -> Bool {
        guard services.site.development, let development = services.projects.current.development else { return false }
        return development.settings.id == project.settings.id && request.isOfThisMachine
    }

    private func believingEveryClaim(of project: Project) -> DevelopmentProviders {
        let page = project.pagesURL(for: request, of: services.site) + DevelopmentProviders.pagePath
        return DevelopmentProviders(believingEveryClaimAt: page, except: project.namedProviders)
    }
}
