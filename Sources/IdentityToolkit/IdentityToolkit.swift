package import Web

/// The Firebase-compatible REST API: the calls that apps make, and the key sets by which back ends verify what apps show them.
///
/// One file a call. Wire names live in each call's `Input` and `Output` and nowhere else; what a call means is a rule of `Accounts`
/// or a flow of `Providers`. Sign-in pages and redirects are `SignIn`'s. What the Auth emulator has besides the API is in `Emulator`.
package enum IdentityToolkit {
    /// Every call. A new one is a file in one of the folders beside this and a line here.
    package static let handlers: [Handler] = [
        CreateAuthURI.handler,
        DeleteAccount.handler,
        Discovery.handler,
        GetPasswordPolicy.handler,
        GetProjectConfig.handler,
        Lookup.handler,
        ProjectKeySet.handler,
        ProviderPhoto.handler,
        RecaptchaConfig.handler,
        RecaptchaParams.handler,
        ResetPassword.handler,
        SecureTokenCertificates.handler,
        SecureTokenKeySet.handler,
        SendOOBCode.handler,
        SignInWithCustomToken.handler,
        SignInWithEmailLink.handler,
        SignInWithIDP.handler,
        SignInWithPassword.handler,
        SignUp.handler,
        Token.handler,
        UpdateAccount.handler,
    ]
}
