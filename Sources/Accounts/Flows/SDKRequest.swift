import Postgres

/// The parameters with which an SDK opened the handler. The SDK must get them back with the result, unchanged.
package struct SDKRequest: Sendable, Equatable {
    package let apiKey: String
    /// The name of the JS SDK's app; together with the API key it names the app's storage.
    package let appName: String?
    package let authType: AuthType
    /// The SDK's number for this attempt; a redirect to sign in has none.
    package let eventID: String?
    /// The address of a native app: its URL scheme (iOS) or its package (Android).
    package let app: String?
    /// The language of the visitor, as a BCP 47 tag.
    package let language: String?

    package init(
        apiKey: String, appName: String? = nil, authType: AuthType, eventID: String? = nil, app: String? = nil, language: String? = nil
    ) {
        self.apiKey = apiKey
        self.appName = appName
        self.authType = authType
        self.eventID = eventID
        self.app = app
        self.language = language
    }

    /// The operation that an SDK asks of the handler, under the SDK's name for it.
    package enum AuthType: String, Sendable, CaseIterable {
        case signInViaPopup, linkViaPopup, reauthViaPopup
        case signInViaRedirect, linkViaRedirect, reauthViaRedirect
        /// Native SDKs always use this, whether they sign in, link or reauthenticate.
        case signInWithRedirect
        /// Native SDKs ask for a captcha before a text message. No flow has it.
        case verifyApp

        /// When it reauthenticates, the JS SDK does not send `autoCreate: false` with the redemption. So the flow remembers that no
        /// account may be created.
        package var isReauthentication: Bool { self == .reauthViaPopup || self == .reauthViaRedirect }

        package var isPopup: Bool { [.signInViaPopup, .linkViaPopup, .reauthViaPopup].contains(self) }
    }
}

extension SDKRequest {
    /// Reads `api_key` and the five columns behind it; `nil` when the flow was not started by an SDK.
    init?(_ row: inout RowReader) throws(PostgresError) {
        guard let apiKey = try row.next(as: String?.self) else { return nil }
        let appName: String? = try row.next()
        guard let authType = AuthType(rawValue: try row.next()) else { throw .decoding("auth_type") }
        self.init(
            apiKey: apiKey, appName: appName, authType: authType, eventID: try row.next(), app: try row.next(), language: try row.next())
    }
}
