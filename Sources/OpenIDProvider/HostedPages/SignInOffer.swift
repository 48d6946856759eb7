import ProjectSettings
import Projects
import Providers
import Text

/// The ways to a session that a request's pages offer: what the project has switched on, as far as the user flow names it.
struct SignInOffer: Sendable, Equatable {
    /// With an address and a password.
    var hasPassword = false
    /// With an address and a code that is mailed to it.
    var hasCode = false
    /// With a passkey, at a page of this server.
    var hasPasskeys = false
    /// In the order of the user flow, or else of the project's file.
    var providers: [ProviderButton] = []
    /// Whether the user flow names a provider before the address's own ways.
    var providersFirst = false
    var signsIn = false
    /// Whether an account can be made with an address here.
    var signsUp = false
    /// Whether an account that signs in for the first time may be made.
    var makesAccounts = false
    /// Whether a new password can be set.
    var resets = false

    /// Whether the address itself signs in.
    var hasEmail: Bool { hasPassword || hasCode }
}

/// A provider as its button shows it.
struct ProviderButton: Sendable, Equatable {
    let id: String
    let name: String
    let style: ButtonStyle
}

extension SignInOffer {
    /// - Parameters:
    ///   - flow: `nil` in the shape of the project itself, which offers all that the project has.
    ///   - server: the address at which the browser has the pages: passkeys work at some sites alone.
    ///   - canMail: whether this server sends mails.
    init(_ flow: UserFlow?, of project: Project, at server: String, canMail: Bool) {
        let methods = project.settings.signIn
        let kind = flow?.kind ?? .signUpOrSignIn
        let ways = flow?.providers ?? [Self.password, Self.emailLink, Self.passkey] + project.orderedProviders.map(\.id)
        hasPassword = methods.password && ways.contains { $0.isExactly(Self.password) }
        hasCode = methods.emailLink && canMail && ways.contains { $0.isExactly(Self.emailLink) }
        hasPasskeys =
            ways.contains { $0.isExactly(Self.passkey) }
            && project.settings.passkeys?.takes(server) == true
        providers = ways.compactMap { project.providers[UTF8Text($0)] }.map { ProviderButton(id: $0.id, name: $0.name, style: $0.button) }
        providersFirst = ways.first.map { project.providers[UTF8Text($0)] != nil } ?? false
        signsIn = kind != .signUp && kind != .passwordReset
        makesAccounts = methods.signUp && (kind == .signUpOrSignIn || kind == .signUp)
        signsUp = makesAccounts && hasEmail && canMail
        resets = methods.password && canMail && (hasPassword && kind != .signUp || kind == .passwordReset)
    }

    private static let password = "password"
    private static let emailLink = "emailLink"
    private static let passkey = "passkey"
}
