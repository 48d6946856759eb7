import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Providers
import Text
package import Web

/// The sample page of a server in development mode: the files of one folder, held in memory, at `/sample/`. Beside them is `project.json`,
/// which tells the page its project and the ways to sign in.
package struct SampleFiles: Sendable {
    private let files: [UTF8Text: (type: String, bytes: [UInt8])]

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// - Parameter files: content by file name. Only pages, scripts, styles and drawings are served.
    package init(_ files: [String: [UInt8]]) {
        var typed: [UTF8Text: (type: String, bytes: [UInt8])] = [:]
        for (name, bytes) in files {
            guard let type = Self.types[name.split(separator: ".").last.map(String.init) ?? ""] else { continue }
            typed[UTF8Text(name)] = (type, bytes)
        }
        self.files = typed
    }

    package var handlers: [Handler] {
        ["/sample/", "/sample/{file}"].map { path in
            Handler(
                route: Route(.get, path, access: .anyone), errorFormat: .page, named: Handler.name(of: Self.self),
                content: { CallContent(answers: [.content("*/*")]) },
                immediate: { [self] _, context in
                    let name = context.parameters["file"] ?? "index.html"
                    if name == "project.json" { return try Self.project(context) }
                    guard let file = files[name] else { throw Failure.notFound }
                    // The endpoints of the OpenID provider are there, whichever name of this machine the page was opened by.
                    let publicURL = context.services.site.publicURL
                    return Response(
                        headers: [
                            "content-type": file.type,
                            "content-security-policy":
                                "default-src 'self'; connect-src 'self' \(publicURL); frame-ancestors 'none'; base-uri 'none'",
                            "cache-control": "no-cache", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
                        ], body: file.bytes)
                })
        }
    }

    /// The settings of the development project, or of the first project when there is none.
    private static func project(_ context: Context) throws(Failure) -> Response {
        let projects = context.services.projects.current
        guard let project = projects.development ?? projects.all.first else { throw .notFound }
        let settings = project.settings
        let madeUp = context.developmentProviders(of: project)?.all ?? []
        let site = context.services.site
        let answer: JSON = [
            "project": .string(settings.id), "issuer": .string(settings.issuer(publicURL: site.publicURL)),
            "openID": openID(project), "apiKey": settings.apiKeys.first.map(JSON.string) ?? .null,
            "providers": list(project.providers.values.sorted { $0.id < $1.id }), "developmentProviders": list(madeUp),
            "methods": [
                "password": .bool(settings.signIn.password), "emailLink": .bool(settings.signIn.emailLink),
                "anonymous": .bool(settings.signIn.anonymous), "phone": .bool(settings.phone.enabled),
                "passkey": .bool(settings.passkeys?.takes(site.publicURL) ?? false),
            ],
        ]
        return Response(json: answer.bytes())
    }

    /// The values that the sample page needs for a sign-in at the hosted page; `null` when the project has no client for pages.
    private static func openID(_ project: Project) -> JSON {
        let client = project.settings.openIDProvider?.clients.first { $0.kind == .browser }
        guard let client, let issuer = project.openIDProvider?.native.urls.issuer else { return .null }
        return ["issuer": .string(issuer), "clientId": .string(client.id)]
    }

    private static func list(_ providers: [ProviderSettings]) -> JSON {
        .array(
            providers.map { provider in
                let button = provider.button
                return [
                    "id": .string(provider.id), "name": .string(provider.name), "mark": button.mark.map { .string($0.svg) } ?? .null,
                    "light": colors(button.light), "dark": colors(button.dark ?? button.light),
                ]
            })
    }

    private static func colors(_ colors: ButtonStyle.Colors?) -> JSON {
        guard let colors else { return .null }
        return ["text": .string(colors.text), "background": .string(colors.background), "border": .string(colors.border)]
    }
}
