import Postgres

/// What an SDK said when it opened the handler, and must hear again with the result, unchanged.
package struct Handoff: Sendable, Equatable {
    package let apiKey: String
    /// Of the JS SDK's app; with the API key it names the storage of that app.
    package let appName: String?
    package let authType: AuthType
    /// The SDK's number for this attempt; a redirect to sign in has none.
    package let eventID: String?
    /// Where a native app is reached: its URL scheme (iOS) or its package (Android).
    package let app: String?
    /// What the visitor reads, as a BCP 47 tag.
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

    /// What an SDK wants of the handler, by its own word for it.
    package enum AuthType: String, Sendable, CaseIterable {
        case signInViaPopup, linkViaPopup, reauthViaPopup
        case signInViaRedirect, linkViaRedirect, reauthViaRedirect
        /// Native SDKs say this, whether they sign in, link or reauthenticate.
        case signInWithRedirect

        /// The JS SDK asks nothing at the redemption that would keep another account's owner from being signed up.
        package var isReauthentication: Bool { self == .reauthViaPopup || self == .reauthViaRedirect }

        package var isPopup: Bool { [.signInViaPopup, .linkViaPopup, .reauthViaPopup].contains(self) }
    }
}

extension Handoff {
    /// Reads `api_key` and the five columns behind it; `nil` when the flow was not started by an SDK.
    init?(_ row: inout RowReader) throws(PostgresError) {
        guard let apiKey = try row.next(as: String?.self) else { return nil }
        let appName: String? = try row.next()
        guard let authType = AuthType(rawValue: try row.next()) else { throw .decoding("auth_type") }
        self.init(
            apiKey: apiKey, appName: appName, authType: authType, eventID: try row.next(), app: try row.next(), language: try row.next())
    }
}
