package import Web

/// The browser's side of a sign-in: off to the provider, back from it, and on to the app.
///
/// `Start` stores a flow, binds it to the browser by a cookie and redirects; `Callback` takes the provider's answer, checks that the browser is
/// the one that started, seals the answer under a one-time code and sends the browser to the app with that code. The provider's own
/// code never reaches a client; `accounts:signInWithIdp` (IdentityToolkit) trades ours for a session.
package enum SignIn {
    /// Every page. A new one is a file beside this and a line here.
    package static let handlers: [Handler] = [
        Callback.handler,
        PostedCallback.handler,
        ProviderCallback.handler,
        ProviderPostedCallback.handler,
        Start.handler,
    ]
}
