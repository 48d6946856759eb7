import Accounts
import HTTP
import JSON
import Pages
import Projects
import Text
import Web

/// The kinds of action codes by their names on the wire, in the order of their numbers.
enum RequestType: String, WireEnum {
    static let unspecified = "OOB_REQ_TYPE_UNSPECIFIED"

    case passwordReset = "PASSWORD_RESET"
    case oldEmailAgree = "OLD_EMAIL_AGREE"
    case newEmailAccept = "NEW_EMAIL_ACCEPT"
    case verifyEmail = "VERIFY_EMAIL"
    case recoverEmail = "RECOVER_EMAIL"
    case emailSignIn = "EMAIL_SIGNIN"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case revertSecondFactorAddition = "REVERT_SECOND_FACTOR_ADDITION"

    init(_ kind: ActionCode.Kind) {
        self =
            switch kind {
            case .resetPassword: .passwordReset
            case .verifyEmail: .verifyEmail
            case .verifyAndChangeEmail: .verifyAndChangeEmail
            case .recoverEmail: .recoverEmail
            case .signIn: .emailSignIn
            case .revertSecondFactorAddition: .revertSecondFactorAddition
            }
    }

    /// The kind that a client asks for. An absent value, and the name and number for "unspecified", are `MISSING_REQ_TYPE`.
    static func reading(_ value: JSON?) throws(Failure) -> RequestType {
        guard let value, !value.isNull, value != "" else { throw .missingRequestType }
        guard let stated = try? value.decode(OptionalEnum<RequestType>.self) else { throw .invalidJSON("requestType: unknown value.") }
        guard let type = stated.value else { throw .missingRequestType }
        return type
    }
}

/// The app's settings for a mail's link: the page to which the link finally leads.
/// <https://firebase.google.com/docs/auth/web/passing-state-in-email-actions>
struct ActionSettings: Decodable {
    var continueUrl: UTF8Text?
    var canHandleCodeInApp: Bool?
    var iOSBundleId: UTF8Text?
    var iOSAppStoreId: UTF8Text?
    var androidPackageName: UTF8Text?
    var androidInstallApp: Bool?
    var androidMinimumVersion: UTF8Text?
    var androidMinimumVersionCode: UTF8Text?
    var linkDomain: UTF8Text?
    var dynamicLinkDomain: UTF8Text?

    private static let longestURL = 2048

    /// The address to continue at, after all settings were checked.
    func continueURL(of project: Project, _ site: Site) throws(Failure) -> String? {
        let url = try checkedURL(of: project)
        if url == nil, canHandleCodeInApp == true { throw .missingContinueURI }
        if iOSAppStoreId.isFilled, !iOSBundleId.isFilled { throw Failure.missingIOSBundleID }
        if androidInstallApp == true || androidMinimumVersion.isFilled || androidMinimumVersionCode.isFilled, !androidPackageName.isFilled {
            throw Failure.missingAndroidPackageName
        }
        // Links are made only from the configured public URL (SEC-07).
        if dynamicLinkDomain.isFilled { throw Failure.dynamicLinks }
        if let linkDomain, !linkDomain.isEmpty, linkDomain.asciiLowercased != URI.parse(site.publicURL)?.host ?? "" {
            throw Failure.hostingLinks
        }
        return url
    }

    private func checkedURL(of project: Project) throws(Failure) -> String? {
        guard let continueUrl, !continueUrl.isEmpty else { return nil }
        guard let uri = URI.ofPage(continueUrl), uri.isTrustworthy, uri.description.utf8.count <= Self.longestURL else {
            throw Failure.invalidContinueURI(longest: Self.longestURL)
        }
        guard project.authorizes(host: uri.host) else {
            throw .unauthorizedDomain("\(uri.host) is not an authorized domain of this project.")
        }
        return uri.description
    }
}

extension UTF8Text? {
    fileprivate var isFilled: Bool { self?.isEmpty == false }
}

extension Context {
    /// The language of mails to the caller.
    var language: String { get throws { try project.templates.language(for: request) } }
}
