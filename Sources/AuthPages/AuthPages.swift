package import Web

/// The browser's side of a sign-in: the way to the provider, back from it, and on to the app.
///
/// `HandlerPage` (for SDKs) and `Start` (for plain browser apps) let `Brokerage` begin a flow, bind it to the browser by a cookie, and send
/// the browser to the provider. `Callback` takes the provider's answer and the browser's cookie, and lets `Brokerage` check both and seal
/// the answer under a one-time code. `ResultPage` brings that code to an SDK, through a page and the SDK's iframe (`IframePage`, `Pending`,
/// `Relay`) or by a native app's own address (`NativeLink`). Plain apps get the code by a redirect. The provider's own code never reaches a
/// client; `accounts:signInWithIdp` (IdentityToolkit) exchanges ours for a session.
///
/// `ActionPage` and `ActionForm` are the pages behind the links in mails.
package enum AuthPages {
    /// Every page. To add a page, add a file in one of the folders beside this one and a line here.
    package static let handlers: [Handler] = [
        ActionForm.handler,
        ActionPage.handler,
        AppMissing.handler,
        CaptchaScript.handler,
        HandlerPage.handler,
        IframePage.handler,
        Pending.handler,
        PostedCallback.handler,
        ProviderCallback.handler,
        ProviderPostedCallback.handler,
        Relay.handler,
        Start.handler,
        VerifyAppForm.handler,
    ]

    /// The scripts of those pages, and the script that apps' pages can load.
    package static let scripts: [Handler] = PageScript.all.map(\.handler)
}
