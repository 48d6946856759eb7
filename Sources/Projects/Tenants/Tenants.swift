import ProjectSettings
package import Text

/// The tenants of one project at one moment: a value that is never changed, only replaced.
package final class Tenants: Sendable {
    /// In the order of their ids.
    package let all: [Project]
    private let byID: [UTF8Text: Int]
    private let byNumber: [Int64: Int]
    /// A tenant without anything of its own, from which those that calls make are made; `nil` where only files make tenants.
    package let template: Project?

    package init(_ tenants: [Project] = [], template: Project? = nil) {
        let all = tenants.sorted { $0.settings.storageID < $1.settings.storageID }
        self.all = all
        self.template = template
        openIDProviders = all.filter { $0.settings.openIDProvider != nil }
        byID = Dictionary(
            all.enumerated().map { (UTF8Text($1.settings.tenant?.id ?? ""), $0) }, uniquingKeysWith: { first, _ in first })
        byNumber = Dictionary(all.enumerated().map { ($1.settings.sessionNumber, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Those that are OpenID providers.
    let openIDProviders: [Project]

    package func tenant(_ id: UTF8Text) -> Project? { byID[id].map { all[$0] } }

    /// The tenant whose sessions have this number in their refresh tokens.
    package func tenant(sessionNumber: Int64) -> Project? { byNumber[sessionNumber].map { all[$0] } }

    /// The same tenants, with other states of some of them, and without some.
    func replacing(_ changed: [Project], without gone: Set<String> = []) -> Tenants {
        let ids = Set(changed.compactMap(\.settings.tenant?.id)).union(gone)
        return Tenants(all.filter { !ids.contains($0.settings.tenant?.id ?? "") } + changed, template: template)
    }
}
