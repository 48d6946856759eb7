package import JSON
import Text

/// The files by which the host of an RP ID says which apps and which other sites may use its passkeys.
package enum PasskeyFile: String, Sendable, CaseIterable {
    /// <https://developers.google.com/digital-asset-links/v1/getting-started>
    case androidApps = "/.well-known/assetlinks.json"
    /// <https://developer.apple.com/documentation/xcode/supporting-associated-domains>
    case iosApps = "/.well-known/apple-app-site-association"
    /// <https://w3c.github.io/webauthn/#sctn-related-origins>
    case relatedOrigins = "/.well-known/webauthn"

    package var path: String { rawValue }

    /// The content for projects of one RP ID; `nil` where there is nothing to say.
    package func content(for projects: [ProjectSettings]) -> JSON? {
        let entries = projects.flatMap(entries)
        guard !entries.isEmpty else { return nil }
        return switch self {
        case .androidApps: .array(entries)
        case .iosApps: ["webcredentials": ["apps": .array(entries)]]
        case .relatedOrigins: ["origins": .array(entries)]
        }
    }

    /// Whether a file that the host serves says everything that ours would. It may say more, of other apps and of other uses.
    package func isCovered(by served: JSON, for projects: [ProjectSettings]) -> Bool {
        let list: [JSON]? =
            switch self {
            case .androidApps: served.array
            case .iosApps: served["webcredentials"]?["apps"]?.array
            case .relatedOrigins: served["origins"]?.array
            }
        guard let list else { return false }
        return projects.flatMap(entries).allSatisfy { ours in
            list.contains { theirs in self == .androidApps ? Self.statement(theirs, covers: ours) : theirs == ours }
        }
    }

    /// A statement of Android's about the same app, with at least our relations and certificates.
    private static func statement(_ theirs: JSON, covers ours: JSON) -> Bool {
        func list(_ json: JSON?) -> [UTF8Text] { json?.array?.compactMap(\.string) ?? [] }
        let (target, other) = (ours["target"], theirs["target"])
        return target?["package_name"] == other?["package_name"] && Set(list(ours["relation"])).isSubset(of: list(theirs["relation"]))
            && Set(list(target?["sha256_cert_fingerprints"])).isSubset(of: list(other?["sha256_cert_fingerprints"]))
    }

    private func entries(_ project: ProjectSettings) -> [JSON] {
        guard let passkeys = project.passkeys else { return [] }
        guard self != .relatedOrigins else { return passkeys.relatedOrigins.map { .string($0) } }
        return project.apps.compactMap { app in
            switch (self, app) {
            case (.androidApps, .android(let app)) where !app.sha256.isEmpty:
                [
                    "relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
                    "target": [
                        "namespace": "android_app", "package_name": .string(app.package),
                        "sha256_cert_fingerprints": .array(app.sha256.map { .string(Self.fingerprint($0)) }),
                    ],
                ]
            case (.iosApps, .ios(let app)): app.teamID.map { .string("\($0).\(app.bundleID)") }
            default: nil
            }
        }
    }

    /// In upper case, with a colon behind each byte but the last.
    private static func fingerprint(_ digits: String) -> String {
        let digits = Array(digits.uppercased())
        return stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<min($0 + 2, digits.count)]) }.joined(separator: ":")
    }
}
