import AuthPages
import IdentityToolkit
import JSON
import OpenIDProvider
import Web

/// The calls of the server by subject: what a listener answers, and what the description of the API tells.
///
/// `Worker` takes its endpoints from here, so that no call can be served without being described.
package enum ServedCalls {
    private static let api = APIDescription.Section(
        "api", "The calls of Firebase Authentication, for apps and for back ends, and the keys of ID tokens.", IdentityToolkit.handlers)
    private static let signIn = APIDescription.Section(
        "sign-in", "The pages and redirects of a sign-in in a browser, and the pages behind links in mails.",
        AuthPages.handlers + AuthPages.scripts)
    private static let openID = APIDescription.Section(
        "openid", "The project's OpenID provider, for relying parties.", OpenIDProvider.handlers + OpenIDProvider.scripts)
    private static let development = APIDescription.Section(
        "development", "The calls of the Auth emulator. Only development mode has them, for programs of the server's own machine.",
        Emulator.handlers + DevelopmentSignIn.handlers)
    private static let front = APIDescription.Section(
        "front", "The address without a path, where the emulator answers in development mode.", Operations.front)
    private static let operations = APIDescription.Section(
        "operations", "Health and metrics: on the listener of `operations` where the configuration has one, otherwise on the API's.",
        Operations.handlers)
    private static let proxyCheck = APIDescription.Section(
        "probe", "For `gatehouse doctor`, which asks on the way of a client how its request arrives.", [Operations.proxyCheck])
    private static let reload = APIDescription.Section(
        "reload", "Only on the listener of `operations`.", [Reload.handler { .taken }])

    /// The endpoints of the public listener.
    static func handlers(_ settings: ServerSettings) -> [Handler] {
        var sections = [front, proxyCheck] + (settings.operations == nil ? [operations] : []) + [api, signIn, openID]
        // In front of the others, since the emulator's answer to the address without a path must win.
        if settings.development { sections.insert(development, at: 0) }
        return sections.flatMap(\.handlers)
    }

    private static func document() throws -> JSON {
        try APIDescription(
            title: "Gatehouse",
            about: """
                Every call of this server. Names in JSON bodies may also come in snake_case, enumerations by number, 64-bit numbers as \
                text. `null` counts as absent, unless the type says otherwise; unknown names are ignored. docs/wire.md says what differs \
                from Firebase.
                """,
            words: .init(calls: CallWords.texts, fields: FieldWords.texts),
            sections: [front, api, signIn, openID, development, operations, proxyCheck, reload]
        ).json()
    }

    /// The description, for programs.
    static func description() throws -> [UInt8] { try document().bytes() }

    /// The description, for people: what `gatehouse openapi` prints.
    package static func descriptionText() throws -> String { try document().indentedText() }
}
