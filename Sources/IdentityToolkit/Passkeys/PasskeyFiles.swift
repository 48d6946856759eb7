import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// The files at the host of an RP ID, where that host is this server's own.
protocol PasskeyFileEndpoint: ImmediateEndpoint {
    static var file: PasskeyFile { get }
}

extension PasskeyFileEndpoint {
    static var route: Route { Route(.get, file.path, access: .anyone) }
    static var content: CallContent { CallContent.publicDocument(.anything) }

    func callAsFunction(_ request: Request, _ context: Context) throws -> Response {
        guard let content = Self.file.content(for: context.projects.ofOwnSite(askedBy: request)) else { throw Failure.notFound }
        return Response(publicDocument: content.bytes(), for: request)
    }
}

/// The Android apps that may use the passkeys of this host.
struct AndroidPasskeyApps: PasskeyFileEndpoint { static let file = PasskeyFile.androidApps }

/// The apps of Apple's platforms that may use the passkeys of this host.
struct IOSPasskeyApps: PasskeyFileEndpoint { static let file = PasskeyFile.iosApps }

/// The other sites that may use the passkeys of this host.
struct RelatedPasskeyOrigins: PasskeyFileEndpoint { static let file = PasskeyFile.relatedOrigins }

extension Projects {
    /// The projects whose RP ID is the host of this server's own pages. Where several such hosts lead here, the request's `Host` says which one
    /// is meant: it only chooses among configured ones.
    fileprivate func ofOwnSite(askedBy request: Request) -> [ProjectSettings] {
        let own = all.filter { project in project.settings.passkeys.map { URI.parse(project.pagesURL)?.host == $0.rpID } ?? false }
        let sites = Set(own.compactMap { $0.settings.passkeys?.rpID })
        let asked = request.headers["host"].flatMap { URI.parse("https://\($0)" as UTF8Text)?.host }
        guard let site = sites.count == 1 ? sites.first : sites.first(where: { $0 == asked }) else { return [] }
        return own.map(\.settings).filter { $0.passkeys?.rpID == site }
    }
}
