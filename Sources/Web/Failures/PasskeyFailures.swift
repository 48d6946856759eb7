/// The errors of passkeys. Codes are those that the SDKs' passkey branches know.
extension Failure {
    package static let passkeysNotEnabled = Failure("PASSKEY_NOT_ENABLED")
    /// The project does not count a passkey as two factors, and the account has second factors.
    package static let passkeyIsOneFactor = operationNotAllowed(
        "This account needs a second factor besides the passkey, for which this call cannot ask.")
}
