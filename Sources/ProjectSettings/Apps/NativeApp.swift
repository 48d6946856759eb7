/// A native app that may start sign-ins, and how their results reach it.
package enum NativeApp: Sendable, Equatable {
    case ios(IOS)
    case android(Android)

    /// Reached by its own URL scheme, which the SDK makes of the client id or, without one, of the app id.
    package struct IOS: Sendable, Equatable {
        package let bundleID: String
        package let clientID: String?
        package let appID: String?
        /// The name that its users know.
        package var name: String?

        package init(bundleID: String, clientID: String? = nil, appID: String? = nil, name: String? = nil) {
            self.name = name
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
        /// The name that its users know.
        package var name: String?

        package init(package: String, certificates: [String], name: String? = nil) {
            self.name = name
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

        /// 40 lower-case hex digits, from a text that may have colons and upper case.
        package static func certificate(_ text: String) -> String? {
            let digits = String(decoding: text.utf8.filter { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased()
            return digits.utf8.count == 40 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
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
