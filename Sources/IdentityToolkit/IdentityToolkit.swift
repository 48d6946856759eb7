package import Web

/// The Firebase-compatible REST API: the calls of apps and of administrators, and the key sets with which back ends verify tokens.
///
/// Each call is one file. Wire names stand in each call's `Input` and `Output` and nowhere else. The rules behind
/// the calls are in `Accounts`, and the steps of a sign-in at a provider in `Brokerage`. Sign-in pages and redirects are in `SignIn`. The
/// additional calls of the Auth emulator are in `Emulator`.
package enum IdentityToolkit {
    /// Every call. To add a call, add a file in one of the folders beside this one and a line here.
    package static let handlers: [Handler] = [
        CreateAccountByAdministrator.handler,
        CreateAuthURI.handler,
        CreateProviderConfig.handler,
        CreateSessionCookie.handler,
        DeleteAccount.handler,
        DeleteAccountByAdministrator.handler,
        DeleteAccounts.handler,
        DeleteProviderConfig.handler,
        DeleteTenant.handler,
        Discovery.handler,
        DownloadAccounts.handler,
        FirebaseKeys.handler,
        GetConfig.handler,
        GetDefaultSupportedIDPConfig.handler,
        GetInboundSAMLConfig.handler,
        GetOAuthIDPConfig.handler,
        GetPasswordPolicy.handler,
        GetProjectConfig.handler,
        GetTenant.handler,
        ImportAccounts.handler,
        IssueAccessToken.handler,
        ListAccounts.handler,
        ListDefaultSupportedIDPConfigs.handler,
        ListInboundSAMLConfigs.handler,
        ListOAuthIDPConfigs.handler,
        Lookup.handler,
        LookupByAdministrator.handler,
        PatchTenant.handler,
        PostTenant.handler,
        ProjectKeySet.handler,
        ProviderPhoto.handler,
        QueryAccounts.handler,
        RecaptchaConfig.handler,
        RecaptchaParams.handler,
        ResetPassword.handler,
        RevokeToken.handler,
        SecureToken.handler,
        SecureTokenCertificates.handler,
        SecureTokenKeySet.handler,
        SendOOBCode.handler,
        SendOOBCodeByAdministrator.handler,
        SessionCookieCertificates.handler,
        SessionCookieKeySet.handler,
        SignInWithCustomToken.handler,
        SignInWithEmailLink.handler,
        SignInWithIDP.handler,
        SignInWithPassword.handler,
        SignUp.handler,
        UpdateAccount.handler,
        UpdateAccountByAdministrator.handler,
        UpdateConfig.handler,
        UpdateProviderConfig.handler,
    ]
}
