import Config
import Crypto

/// A native app that may start sign-ins, and how their results reach it.
package enum NativeApp: Sendable, Equatable {
    case ios(IOS)
    case android(Android)

    /// Reached by its own URL scheme, which the SDK makes of the client id or, without one, of the app id.
    package struct IOS: Sendable, Equatable {
        package let bundleID: String
        package let clientID: String?
        package let appID: String?
        /// The Apple developer team whose app it is; passkeys need it.
        package let teamID: String?
        /// The name that its users know.
        package var name: String?

        package init(bundleID: String, clientID: String? = nil, appID: String? = nil, teamID: String? = nil, name: String? = nil) {
            self.name = name
            self.teamID = teamID
            self.bundleID = bundleID
            self.clientID = clientID
            self.appID = appID
        }

        /// `com.googleusercontent.apps.1-a` for `1-a.apps.googleusercontent.com`.
        package static func scheme(clientID: String) -> String { clientID.split(separator: ".").reversed().joined(separator: ".") }

        /// `app-1-123-ios-abc` for `1:123:ios:abc`.
        package static func scheme(appID: String) -> String { "app-" + String(appID.map { $0 == ":" ? "-" : $0 }) }

        /// Whether a text is a scheme by RFC 3986 §3.1, in the form that reaches the app: browsers write schemes in lower case, and the
        /// SDK compares the case.
        package static func isScheme(_ text: String) -> Bool {
            guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 200 else { return false }
            return text.utf8.allSatisfy { byte in
                switch byte {
                case 0x61...0x7A, 0x30...0x39, 0x2B, 0x2D, 0x2E: true
                default: false
                }
            }
        }
    }

    /// Reached by an intent for its package, which Android gives only to the app with that name and certificate.
    package struct Android: Sendable, Equatable {
        package let package: String
        /// SHA-1 of its signing certificates, in lower-case hex.
        package let certificates: [String]
        /// SHA-256 of them, in lower-case hex; passkeys need it.
        package let sha256: [String]
        /// The name that its users know.
        package var name: String?

        package init(package: String, certificates: [String], sha256: [String] = [], name: String? = nil) {
            self.name = name
            self.sha256 = sha256
            self.package = package
            self.certificates = certificates
        }

        /// At least two segments of letters, digits and `_`, each of which starts with a letter.
        /// <https://developer.android.com/build/configure-app-module#set-application-id>
        package static func isPackage(_ text: String) -> Bool {
            let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return segments.count >= 2 && text.utf8.count <= 255
                && segments.allSatisfy { segment in
                    guard let first = segment.first, Self.isLetter(first) else { return false }
                    return segment.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
                }
        }

        private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

        /// The origin that Android gives an app with this certificate in ceremonies of passkeys.
        static func origin(ofSHA256 digits: String) -> String { "android:apk-key-hash:\(Base64URL.encode(Hex.decode(digits) ?? []))" }

        /// The SHA-1 of a certificate as 40 lower-case hex digits, from a text that may have colons and upper case.
        package static func certificate(_ text: String) -> String? { fingerprint(text, digits: 40) }

        fileprivate static func fingerprint(_ text: String, digits count: Int) -> String? {
            let digits = String(decoding: text.utf8.filter { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
            return digits.utf8.count == count && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
                ? digits : nil
        }
    }
}

extension ProjectSettings {
    /// The name that users know of the app with this URL scheme or package; `nil` when it is not configured.
    package func nameOfApp(_ address: String?) -> String? {
        guard let address else { return nil }
        for app in apps {
            switch app {
            case .ios(let app):
                let schemes = [app.clientID.map(NativeApp.IOS.scheme(clientID:)), app.appID.map(NativeApp.IOS.scheme(appID:))]
                if schemes.contains(address) { return app.name }
            case .android(let app): if app.package == address { return app.name }
            }
        }
        return nil
    }
}

extension NativeApp {
    /// The entries of `apps:`, each with one of `ios` and `android`. A setting that would keep a result from reaching its app is a fault.
    static func read(_ sections: [Section]) -> [NativeApp] {
        var apps: [NativeApp] = []
        for section in sections {
            let app: NativeApp?
            let name = section.value("name", expected: "a name of 1 to 60 characters, as the app's users know it") { text in
                (1...60).contains(text.count) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? text : nil
            }
            switch (section.has("ios"), section.has("android")) {
            case (true, false): app = IOS(section.section("ios"), name: name).map(NativeApp.ios)
            case (false, true): app = Android(section.section("android"), name: name).map(NativeApp.android)
            default:
                section.fault("", "name one of ios and android")
                app = nil
            }
            section.finish()
            guard let app else { continue }
            if apps.contains(where: { $0.identity == app.identity }) {
                section.fault("", "\(app.identity) is listed already; write one entry for each app")
            }
            apps.append(app)
        }
        return apps
    }

    private var identity: String {
        switch self {
        case .ios(let app): "bundleId \(app.bundleID)"
        case .android(let app): "package \(app.package)"
        }
    }
}

extension NativeApp.IOS {
    fileprivate init?(_ section: Section, name: String?) {
        let bundleID = section.value("bundleId", expected: "a bundle id, such as com.example.app", Self.bundleID)
        let clientID = section.value(
            "clientId",
            expected: "a client id whose parts, in reverse, are a URL scheme that browsers leave as it is: lower-case letters, digits and "
                + "hyphens, parts joined by dots, the last part begins with a letter"
        ) { text in text.contains(".") && Self.isScheme(Self.scheme(clientID: text)) && !text.contains("..") ? text : nil }
        let appID = section.value(
            "appId", expected: "the GOOGLE_APP_ID of the app's configuration, such as 1:123:ios:abc, in lower case and without underscores"
        ) { text in text.split(separator: ":").count == 4 && Self.isScheme(Self.scheme(appID: text)) ? text : nil }
        section.require("bundleId")
        if !section.has("clientId"), !section.has("appId") {
            section.fault(
                "",
                "names neither clientId nor appId, so no result can reach the app; write the CLIENT_ID or the GOOGLE_APP_ID of its "
                    + "GoogleService-Info.plist")
        }
        let teamID = section.value("teamId", expected: "the id of an Apple developer team: 10 upper-case letters and digits") { text in
            text.utf8.count == 10 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) } ? text : nil
        }
        section.finish()
        guard let bundleID, clientID != nil || appID != nil else { return nil }
        self.init(bundleID: bundleID, clientID: clientID, appID: appID, teamID: teamID, name: name)
    }

    /// <https://developer.apple.com/documentation/bundleresources/information-property-list/cfbundleidentifier>
    private static func bundleID(_ text: String) -> String? {
        let fits = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E: true
            default: false
            }
        }
        return fits && !text.isEmpty && text.utf8.count <= 155 ? text : nil
    }
}

extension NativeApp.Android {
    fileprivate init?(_ section: Section, name: String?) {
        let package = section.value("package", expected: "a package name, such as com.example.app") { Self.isPackage($0) ? $0 : nil }
        let certificates = section.values(
            "sha1", expected: "the SHA-1 of a signing certificate: 40 hex digits, with colons or without", Self.certificate)
        let sha256 = section.values(
            "sha256", expected: "the SHA-256 of a signing certificate: 64 hex digits, with colons or without"
        ) { Self.fingerprint($0, digits: 64) }
        section.require("package")
        section.require("sha1", "the SHA-1 of each certificate that signs the app, as ./gradlew signingReport prints it")
        if section.has("sha1"), section.isEmpty("sha1") { section.fault("sha1", "has no fingerprint") }
        section.finish()
        guard let package, !certificates.isEmpty else { return nil }
        self.init(package: package, certificates: certificates, sha256: sha256, name: name)
    }
}
