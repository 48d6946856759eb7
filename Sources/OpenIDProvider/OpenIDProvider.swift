package import Web

/// The project's own OpenID provider: relying parties send people here to sign in, and get tokens.
///
/// `IssuerAddress` finds the project, the user flow and the issuer that an address means. `Authorize` reads a request (`AuthorizeParameters`, in
/// a fixed order), and asks `Interaction.needed` whether the browser's session can answer it. If so, `AuthorizationStep` grants it and
/// `AuthorizationResponse` sends the code to the client. If not, the request is kept, and the browser goes to a hosted page (`HostedPages/`), which
/// establishes a session or notes a consent, and then to `Resume`, which asks the same question again. `TokenEndpoint` redeems the code and refreshes; it
/// and the endpoints beside it learn which client calls from `ClientAuthentication`. `Logout` ends the browser's session and tells the clients.
///
/// Sessions, codes and tokens are `Accounts/Clients`. Endpoints of the Firebase API are in `IdentityToolkit`.
/// <https://openid.net/specs/openid-connect-core-1_0.html>, <https://www.rfc-editor.org/rfc/rfc9700>
package enum OpenIDProvider {
    /// Every endpoint and page. To add one, add a file in one of the folders beside this one and a line here.
    package static let handlers: [Handler] = [
        AccountForm.handler,
        AccountPage.handler,
        AuthorizationServerMetadata.handler,
        Authorize.handler,
        FlowKeySet.handler,
        FlowMetadata.handler,
        Introspect.handler,
        Logout.handler,
        PostedAuthorize.handler,
        PostedLogout.handler,
        PostedUserInfo.handler,
        PushAuthorizationRequest.handler,
        Resume.handler,
        Revoke.handler,
        SignInForm.handler,
        SignInPage.handler,
        SignInReturn.handler,
        TokenEndpoint.handler,
        UserInfoEndpoint.handler,
    ]

    /// The scripts of those pages.
    package static let scripts: [Handler] = [PageScript.formPost.handler, PageScript.passkey.handler]
}
