import Accounts
import HTTP
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// The parameters with which an SDK opens the handler: read, complete, and checked against the project. No I/O.
///
/// Once this exists, it is certain who may get a result: the page's host is authorized, or the native app is registered. Until then,
/// errors are shown on pages that lead nowhere.
struct HandlerParameters {
    let kind: SignInFlow.Kind
    let providerID: String
    let sdkRequest: SDKRequest
    /// Browsers only.
    let page: URI?
    /// Native apps only: the secret that will redeem, or its hash.
    let sessionID: String?
    let scopes: [UTF8Text]
    let customParameters: [UTF8Text: UTF8Text]

    /// The parameters of the address.
    static let names = [
        "apiKey", "appName", "authType", "providerId", "eventId", "redirectUrl", "scopes", "customParameters", "hl", "ibi", "clientId",
        "appId", "apn", "sha1Cert", "sessionId", "tid",
    ]

    init(_ query: Form, _ project: Project) throws(Failure) {
        try query.once()
        let authType = try Self.authType(query)
        let ibi = query.text("ibi")
        let apn = query.text("apn")
        let eventID = try Self.eventID(query)
        var app: String?
        switch (ibi, apn) {
        case (nil, nil):
            kind = authType.isPopup ? .popup : .redirect
            guard authType != .signInWithRedirect else {
                throw .invalidAddress("authType signInWithRedirect is for native apps, which name themselves by ibi or apn.")
            }
            // The SDK finds an event by its number, and would wait for ever without one. Only a redirect to sign in has none.
            guard eventID != nil || authType == .signInViaRedirect else { throw .invalidAddress("The parameter eventId is missing.") }
            page = try Self.page(query, project)
            sessionID = nil
        case (let ibi?, nil):
            kind = .ios
            app = try Self.scheme(of: ibi, query, project)
            guard let hash = query["sessionId"], SessionBinding.isHash(hash.asString) else {
                throw .invalidAddress("The parameter sessionId is not a SHA-256 in lower-case hex.")
            }
            sessionID = hash.asString
            page = nil
        case (nil, let apn?):
            kind = .android
            app = try Self.package(apn, query, project)
            guard let secret = query["sessionId"], (1...1024).contains(secret.utf8.count) else {
                throw .invalidAddress("The parameter sessionId is missing or too long.")
            }
            sessionID = secret.asString
            page = nil
        case (_?, _?): throw .invalidAddress("The parameters ibi and apn exclude each other.")
        }
        if kind == .ios || kind == .android {
            guard authType == .signInWithRedirect else {
                throw .invalidAddress(
                    "Sign-in of this kind (authType \(authType.rawValue) of a native app) is not supported by this server.")
            }
            guard eventID != nil else { throw .invalidAddress("The parameter eventId is missing.") }
        }
        providerID = try Self.providerID(query)
        let options = try ProviderOptions(query)
        scopes = options.scopes
        // Another app could start this flow in a native app's name, so the person must see something of it.
        customParameters =
            app == nil ? options.customParameters : options.customParameters.filter { !Self.asksForSilence($0.key, $0.value) }
        sdkRequest = SDKRequest(
            apiKey: (query["apiKey"] ?? "").asString, appName: app == nil ? try Self.appName(query) : nil, authType: authType,
            eventID: eventID,
            app: app,
            language: query.text("hl").flatMap(Self.language))
    }

    /// Whether the parameter has the provider show nothing. Some providers do not tell upper from lower case in its name.
    private static func asksForSilence(_ name: UTF8Text, _ value: UTF8Text) -> Bool {
        name.asciiLowercased == "prompt" && value.asciiLowercased.split { $0 == 0x20 }.contains("none")
    }

    private static func authType(_ query: Form) throws(Failure) -> SDKRequest.AuthType {
        guard let text = query.text("authType") else { throw .invalidAddress("The parameter authType is missing.") }
        guard let authType = SDKRequest.AuthType(exactly: text), authType != .verifyApp else {
            throw .invalidAddress("The value of the parameter authType is not known.")
        }
        return authType
    }

    /// In bytes.
    private static let longestPage = 4096

    private static func page(_ query: Form, _ project: Project) throws(Failure) -> URI {
        guard let text = query.text("redirectUrl") else { throw .invalidAddress("The parameter redirectUrl is missing.") }
        guard let page = URI.ofPage(text), page.isTrustworthy else {
            throw .unauthorizedDomain("redirectUrl is not the address of a page over https, or over http on this machine.")
        }
        guard page.description.utf8.count <= longestPage else {
            throw .invalidAddress("The parameter redirectUrl, the address of the app's page, is longer than \(longestPage) bytes.")
        }
        guard project.authorizes(host: page.host) else {
            throw .unauthorizedDomain("The app's domain is not authorized for sign-in: add it to the project's authorizedDomains.")
        }
        return page
    }

    /// The scheme that the SDK chose for its way back: that of the client id, or of the app id when it names no client.
    static func scheme(of ibi: UTF8Text, _ query: Form, _ project: Project) throws(Failure) -> String {
        for case .ios(let app) in project.settings.apps where ibi == app.bundleID {
            if let clientID = query.text("clientId") {
                if let registered = app.clientID, clientID == registered {
                    return NativeApp.IOS.scheme(clientID: registered)
                }
            } else if let appID = query.text("appId"), let registered = app.appID, appID == registered {
                return NativeApp.IOS.scheme(appID: registered)
            }
            throw .unauthorizedDomain("The app is not registered with this clientId or appId.")
        }
        throw .unauthorizedDomain("The app is not registered: add its bundleId to the project's apps.")
    }

    static func package(_ apn: UTF8Text, _ query: Form, _ project: Project) throws(Failure) -> String {
        for case .android(let app) in project.settings.apps where apn == app.package {
            guard let certificate = query["sha1Cert"].flatMap({ NativeApp.Android.certificate($0.asString) }),
                app.certificates.contains(certificate)
            else {
                throw .unauthorizedDomain("The app is not registered with the certificate that it is signed with (sha1).")
            }
            return app.package
        }
        throw .unauthorizedDomain("The app is not registered: add its package to the project's apps.")
    }

    static func eventID(_ query: Form) throws(Failure) -> String? {
        guard let text = query.text("eventId") else { return nil }
        guard text.utf8.count <= 256, !text.hasControls else { throw .invalidAddress("The parameter eventId is malformed.") }
        return text.asString
    }

    private static func appName(_ query: Form) throws(Failure) -> String {
        guard let text = query.text("appName"), text.utf8.count <= 128, !text.hasControls else {
            throw .invalidAddress("The parameter appName is missing or malformed.")
        }
        return text.asString
    }

    private static func providerID(_ query: Form) throws(Failure) -> String {
        guard let text = query.text("providerId")?.asciiLowercased, text.utf8.count <= 128,
            text.utf8.allSatisfy({ $0.isToken })
        else { throw .invalidProviderID("The parameter providerId is missing or malformed.") }
        return text.asString
    }

    static func language(_ text: UTF8Text) -> String? {
        let fits = text.utf8.allSatisfy { $0.isToken }
        return fits && text.utf8.count <= 35 ? text.asString : nil
    }
}

extension Form {
    /// The value, if there is one: SDKs send empty parameters for absent ones.
    func text(_ name: UTF8Text) -> UTF8Text? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}

extension UTF8Text {
    fileprivate var hasControls: Bool { asString.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
