/// The errors of a request for a link by mail, and of the code in it.
extension Failure {
    package static let missingRequestType = Failure("MISSING_REQ_TYPE")
    package static let unsupportedRequestType = Failure("INVALID_REQ_TYPE", "Unsupported request parameters.")
    package static let missingActionCode = Failure("MISSING_OOB_CODE")
    package static let missingNewEmail = Failure("MISSING_NEW_EMAIL")
    package static let invalidNewEmail = Failure("INVALID_NEW_EMAIL")
    package static let missingIOSBundleID = Failure("MISSING_IOS_BUNDLE_ID")
    package static let missingAndroidPackageName = Failure("MISSING_ANDROID_PACKAGE_NAME")
    package static let dynamicLinks = Failure("INVALID_DYNAMIC_LINK_DOMAIN", "Dynamic Links are not supported.")
    package static let hostingLinks = Failure("INVALID_HOSTING_LINK_DOMAIN", "Links of this server always lead to its own address.")

    /// - Parameter type: of a code that the server makes by itself alone.
    package static func notRequestable(_ type: String) -> Failure { operationNotAllowed("Codes of the type \(type) cannot be requested.") }

    package static let missingContinueURI = Failure("MISSING_CONTINUE_URI")
    package static let invalidContinueURI = Failure("INVALID_CONTINUE_URI")
    /// - Parameter longest: characters.
    package static func invalidContinueURI(longest: Int) -> Failure {
        Failure(
            "INVALID_CONTINUE_URI",
            "Expected an absolute https URL (in development mode also an http one of this machine) of at most \(longest) characters.")
    }
}
