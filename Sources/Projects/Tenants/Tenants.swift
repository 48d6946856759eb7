import ProjectSettings
package import Text

/// The tenants of one project at one moment: a value that is never changed, only replaced.
package final class Tenants: Sendable {
    private let byID: [UTF8Text: Project]
    private let byNumber: [Int64: Project]
    /// The tenant from which those are made that calls create; `nil` where only files make tenants.
    package let template: Project?
    /// Those that are OpenID providers, by their `storageID`.
    private let providers: [UTF8Text: Project]

    package convenience init(_ tenants: [Project] = [], template: Project? = nil) {
        self.init(from: Tenants(byID: [:], byNumber: [:], providers: [:], template: template), replacing: tenants)
    }

    private init(byID: [UTF8Text: Project], byNumber: [Int64: Project], providers: [UTF8Text: Project], template: Project?) {
        (self.byID, self.byNumber, self.providers, self.template) = (byID, byNumber, providers, template)
    }

    private convenience init(from former: Tenants, replacing changed: [Project], without gone: Set<String> = []) {
        var (byID, byNumber, providers) = (former.byID, former.byNumber, former.providers)
        for project in gone.compactMap({ byID[UTF8Text($0)] }) {
            byID[project.tenantID] = nil
            byNumber[project.settings.sessionNumber] = nil
            providers[project.tenantID] = nil
        }
        for project in changed {
            byID[project.tenantID] = project
            byNumber[project.settings.sessionNumber] = project
            providers[project.tenantID] = project.settings.openIDProvider == nil ? nil : project
        }
        self.init(byID: byID, byNumber: byNumber, providers: providers, template: former.template)
    }

    /// In the order of their ids.
    package var all: [Project] { byID.values.sorted { $0.settings.storageID < $1.settings.storageID } }

    /// Those that are OpenID providers.
    var openIDProviders: [Project] { Array(providers.values) }

    package func tenant(_ id: UTF8Text) -> Project? { byID[id] }

    /// The tenant whose sessions have this number in their refresh tokens.
    package func tenant(sessionNumber: Int64) -> Project? { byNumber[sessionNumber] }

    /// The same tenants after calls have changed the project's settings: its hooks are theirs, and two settings follow where they were as the
    /// project's.
    func following(_ settings: ProjectSettings, after former: ProjectSettings) -> Tenants {
        func following(_ tenant: Project) -> Project {
            var own = tenant.settings
            own.hooks = settings.hooks
            if own.signIn.oneAccountPerEmail == former.signIn.oneAccountPerEmail {
                own.signIn.oneAccountPerEmail = settings.signIn.oneAccountPerEmail
            }
            if own.emailEnumerationProtection == former.emailEnumerationProtection {
                own.emailEnumerationProtection = settings.emailEnumerationProtection
            }
            return Project(tenant, with: own)
        }
        return Tenants(all.map(following), template: template.map(following))
    }

    /// The same tenants, with other states of some of them, and without some. It takes as long as the change is large, apart from a copy of the table.
    func replacing(_ changed: [Project], without gone: Set<String> = []) -> Tenants {
        Tenants(from: self, replacing: changed, without: gone)
    }
}

extension Project {
    fileprivate var tenantID: UTF8Text { UTF8Text(settings.tenant?.id ?? "") }
}
