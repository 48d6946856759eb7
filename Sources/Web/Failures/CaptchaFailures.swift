/// The errors of the proof that an app sends before a text message.
extension Failure {
    package static let missingAppCredential = Failure("MISSING_APP_CREDENTIAL")
    package static let invalidAppCredential = Failure("INVALID_APP_CREDENTIAL")
    /// Where the token is good for another site or another action.
    package static let captchaCheckFailed = Failure("CAPTCHA_CHECK_FAILED")
    /// The SDK for iOS then shows the page with a captcha, as it does where push messages do not arrive.
    package static let missingIOSAppToken = Failure("MISSING_IOS_APP_TOKEN")
}
