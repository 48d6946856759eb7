package import Accounts
import HTTP
import ProjectSettings
package import Projects
package import Providers
package import Text

/// The permissions of a caller that exist in development mode alone, from the server's own machine, for the project that `developmentProject`
/// names and for those made on the fly (SEC-22).
extension Context {
    /// Whether the call may lack a proof that production asks for.
    package var isOfDevelopment: Bool {
        guard let project = try? project, isOnOwnMachine(for: project) else { return false }
        return Access.isLocal(request, services.projects.current)
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

    /// Whether a bearer token is the one by which programs of this machine are administrators in development mode, as at the Auth emulator.
    /// Everywhere else it is an unknown token.
    func isOwner(_ token: UTF8Text) -> Bool {
        services.site.development && (token.asciiLowercased == "owner" || token.hasPrefix("ya29."))
    }

    /// The project that `Bearer owner` administers, in a call that names `name`: the development project without a name, or one that is made
    /// on the fly. Throws for every caller that is not a program of this machine, and then makes no project (SEC-22).
    func ownedProject(named name: UTF8Text?) throws(Failure) -> Project {
        let projects = services.projects.current
        guard services.site.development, let development = projects.development, request.isOfThisMachine else { throw .unknownBearer }
        try Access.checkLocality(request, projects)
        guard let name else { return development }
        return try projectOfDevelopment(named: name)
    }

    /// The project with this id, for a caller that was found to be a program of this machine: any that a file has, or one made on the fly.
    package func emulatedProject(named name: UTF8Text) throws(Failure) -> Project {
        if let project = services.projects.current.project(id: name.asString) { return project }
        guard services.projects.current.development != nil else { throw .notFound }
        return try projectOfDevelopment(named: name)
    }

    private func projectOfDevelopment(named name: UTF8Text) throws(Failure) -> Project {
        if let project = services.projects.projectOfDevelopment(named: name.asString) { return project }
        if services.projects.current.project(id: name.asString) != nil { throw .unknownBearer }
        throw .notAProject
    }

    /// The administrator that a program of this machine is. Throws for every other caller (SEC-22).
    package func owner(of project: Project) throws(Failure) -> Administrator {
        guard isOnOwnMachine(for: project) else { throw .unknownBearer }
        try Access.checkLocality(request, services.projects.current)
        return Administrator(ofDevelopmentProject: project.settings, from: clientInfo)
    }

    /// The administrator that a program of this machine is at the emulator's own calls, which reach every project of a server in development
    /// mode. Throws for every other caller (SEC-22).
    package func emulatorOwner(of project: Project) throws(Failure) -> Administrator {
        guard services.site.development else { throw .notFound }
        try Access.checkLocality(request, services.projects.current)
        return Administrator(ofDevelopmentProject: project.settings, from: clientInfo)
    }

    private func isOnOwnMachine(for project: Project) -> Bool {
        services.site.development && services.projects.current.isOfDevelopment(project) && request.isOfThisMachine
    }

    private func believingEveryClaim(of project: Project) -> DevelopmentProviders {
        let page = project.pagesURL(for: request, of: services.site) + DevelopmentProviders.pagePath
        let switchedOff = services.projects.current.entriesOfCalls(in: project).filter { !$0.enabled }.map { UTF8Text($0.id) }
        return DevelopmentProviders(believingEveryClaimAt: page, except: project.namedProviders.union(switchedOff))
    }
}
