import Accounts
import JSON
import Runtime

/// How an account is printed: never with a password hash.
extension Account {
    /// A row of the table.
    var row: [String] {
        let marks = [disabled ? "disabled" : nil, isAnonymous && email == nil ? "anonymous" : nil].compactMap(\.self)
        return [
            id, email.map { emailVerified ? $0 : "\($0) (unverified)" } ?? "", displayName ?? "", signInProviders.joined(separator: ","),
            Timestamp.minute(createdAt), lastLoginAt.map(Timestamp.minute) ?? "", marks.joined(separator: ","),
        ]
    }

    /// A line for each fact, for one account.
    var lines: String {
        var facts: [(String, String?)] = [
            ("account", id), ("e-mail", email.map { "\($0) (\(emailVerified ? "verified" : "not verified"))" }), ("phone", phoneNumber),
            ("name", displayName), ("photo", photoURL), ("disabled", disabled ? "yes" : nil),
            ("password", passwordUpdatedAt.map { "set \(Timestamp.text($0))" }), ("links in mails", emailLinkSignIn ? "yes" : nil),
            ("custom tokens", customAuth ? "yes" : nil),
            ("second factors", secondFactors == nil ? nil : factors.factors.map(\.summary).joined(separator: ", ")),
            ("claims", customAttributes), ("made", Timestamp.text(createdAt)),
            ("last sign-in", lastLoginAt.map(Timestamp.text)), ("last refresh", lastRefreshAt.map(Timestamp.text)),
            ("tokens valid since", Timestamp.text(validSince)),
        ]
        facts += identities.map { ("provider", "\($0.providerID)  \($0.subject)\($0.email.map { "  \($0)" } ?? "")") }
        facts += passkeys.map { ("passkey", "\($0.id)  \($0.name)") }
        let width = facts.map(\.0.count).max() ?? 0
        return facts.compactMap { name, value in
            value.map { "\(name)\(String(repeating: " ", count: width - name.count))  \(CommandSupport.visible($0))\n" }
        }.joined()
    }

    /// One JSON object, with the names of the API; times are texts.
    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("localId", id)
            writer.field("email", email)
            writer.field("emailVerified", emailVerified)
            writer.field("phoneNumber", phoneNumber)
            writer.field("displayName", displayName)
            writer.field("photoUrl", photoURL)
            writer.field("disabled", disabled)
            writer.field("hasPassword", hasPassword)
            writer.field("emailLinkSignin", emailLinkSignIn)
            writer.field("customAuth", customAuth)
            writer.array("signInProviders") { writer in for provider in signInProviders { writer.value(provider) } }
            writer.field("customAttributes", customAttributes)
            writer.field("createdAt", Timestamp.text(createdAt))
            writer.field("lastLoginAt", lastLoginAt.map(Timestamp.text))
            writer.field("lastRefreshAt", lastRefreshAt.map(Timestamp.text))
            writer.field("validSince", Timestamp.text(validSince))
            writer.field("mfaInfo", json: secondFactors.flatMap { try? JSON.parse($0) })
            writer.array("passkeyInfo") { writer in
                for passkey in passkeys {
                    writer.object { writer in
                        writer.field("credentialId", passkey.id)
                        writer.field("name", passkey.name)
                        writer.field("displayName", passkey.displayName)
                    }
                }
            }
            writer.array("providerUserInfo") { writer in
                for identity in identities {
                    writer.object { writer in
                        writer.field("providerId", identity.providerID)
                        writer.field("rawId", identity.subject)
                        writer.field("email", identity.email)
                        writer.field("displayName", identity.displayName)
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension SecondFactors.Factor {
    /// Its kind and its name or number.
    fileprivate var summary: String {
        let name = displayName.map { " (\($0))" } ?? ""
        return switch kind {
        case .phone(let number): "phone \(number)\(name)"
        case .totp: "authenticator app\(name)"
        case .other: "a kind that this server does not ask for\(name)"
        }
    }
}
