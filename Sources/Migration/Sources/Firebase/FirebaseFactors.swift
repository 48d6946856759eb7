import Accounts
import Identity
import JSON
import Text

/// The second factors of an account as Firebase has them, and the text that is kept of them.
struct FirebaseFactors {
    private static let most = 20
    private static let longest = 16 << 10

    /// A JSON array; `nil` for an account without any. Everything is kept as it came, but that a number in full takes the place of a masked one.
    let text: String?
    /// How many need a secret that the source does not give (TOTP).
    let withoutSecret: Int
    /// The kinds of the others.
    let kinds: Set<String>

    /// - Parameter factors: in the form of Firebase's `mfaInfo`.
    init(_ factors: [JSON.Object]) throws(ImportFault) {
        guard !factors.isEmpty else {
            (text, withoutSecret, kinds) = (nil, 0, [])
            return
        }
        var kept: [JSON] = []
        for factor in factors { kept.append(.object(try Self.kept(factor))) }
        let text = JSON.array(kept).text()
        guard kept.count <= Self.most, text.utf8.count <= Self.longest else {
            throw ImportFault(.invalidSecondFactor, "the account has more than \(Self.most) second factors, or they are longer than 16 KiB")
        }
        self.text = text
        let others = factors.filter { !($0["totpInfo"]?.object?.isEmpty ?? false) }
        withoutSecret = factors.count - others.count
        kinds = Set(others.map(Self.kind))
    }

    private static func kind(of factor: JSON.Object) -> String {
        if factor["totpInfo"] != nil { return "one-time passwords (TOTP)" }
        if factor["phoneInfo"] != nil || factor["unobfuscatedPhoneInfo"] != nil { return "phone" }
        return factor["emailInfo"] != nil ? "mail" : "a means that is not known"
    }

    private static func kept(_ factor: JSON.Object) throws(ImportFault) -> JSON.Object {
        var factor = factor
        if var info = factor["totpInfo"]?.object, !info.isEmpty {
            info["sharedSecretKey"] = (info["sharedSecretKey"]?.string).map { .string(Self.withoutGroups($0)) }
            factor["totpInfo"] = .object(info)
            guard SecondFactors(JSON.array([.object(factor)]).text()).factors.first?.totp != nil else {
                throw ImportFault(
                    .invalidSecondFactor,
                    "the totpInfo of a second factor is not {sharedSecretKey: Base32, hashingAlgorithm: SHA1, SHA256 or SHA512, "
                        + "verificationCodeLength: 6 to 8, periodSec: 1 to 3600}; write {} where the secret is lost")
            }
        }
        if let number = factor["unobfuscatedPhoneInfo"] {
            factor["phoneInfo"] = number
            factor["unobfuscatedPhoneInfo"] = nil
        }
        guard let info = factor["phoneInfo"] else { return factor }
        guard let number = info.string, !number.contains(UInt8(ascii: "*")) else {
            throw ImportFault(
                .invalidSecondFactor, "the number of a second factor is masked with *; export it with the right to see it in full")
        }
        guard PhoneNumber.isE164(number) else {
            throw ImportFault(.invalidSecondFactor, "the number of a second factor is not in the form of E.164, such as +15555550100")
        }
        return factor
    }

    /// The secret of an authenticator app as Base32 has it: apps show it in groups, and some in lower case.
    private static func withoutGroups(_ secret: UTF8Text) -> UTF8Text {
        UTF8Text(
            decoding: secret.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
                .map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 })
    }
}
