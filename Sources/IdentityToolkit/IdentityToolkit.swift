package import Web

/// The Firebase-compatible REST API: the calls of apps, and the key sets with which back ends verify ID tokens.
///
/// Each call is one file. Wire names stand in each call's `Input` and `Output` and nowhere else. The rules behind
/// the calls are in `Accounts`, and the steps of a sign-in at a provider in `Brokerage`. Sign-in pages and redirects are in `SignIn`. The
/// additional calls of the Auth emulator are in `Emulator`.
package enum IdentityToolkit {
    /// Every call. To add a call, add a file in one of the folders beside this one and a line here.
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
        RevokeToken.handler,
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
