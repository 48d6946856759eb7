package import Crypto
import JSON
import Runtime
import Text

/// The second factors of one account, as its row keeps them: a list in the form of Firebase's `mfaInfo`, of which members that this server does
/// not know stay as they came.
///
/// `Account.secondFactors` is its text without secrets, which `FactorSecrets` keeps sealed beside it. A list is changed with its secrets
/// (`FactorSecrets.opened`), and stored by `FactorSecrets.store`.
package struct SecondFactors: Sendable, Equatable {
    /// The most that an account may have. <https://cloud.google.com/identity-platform/docs/web/mfa>
    package static let most = 5

    /// One of them.
    package struct Factor: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// A number in E.164 form, which gets codes by text messages.
            case phone(String)
            /// An authenticator app.
            case totp
            /// One that no call asks for.
            case other
        }

        package let id: String
        package let kind: Kind
        package let displayName: String?
        /// RFC 3339 with milliseconds.
        package let enrolledAt: String?
        fileprivate let json: JSON.Object
    }

    package private(set) var factors: [Factor]

    /// - Parameter text: `nil` for an account without any.
    package init(_ text: String?) {
        let list = text.flatMap { try? JSON.parse($0).array } ?? []
        factors = list.compactMap { $0.object.map(Factor.init) }
    }

    /// `nil` where there is none.
    var text: String? { factors.isEmpty ? nil : JSON.array(factors.map { .object($0.json) }).text() }

    /// Whether there are second factors, whatever their kinds are.
    package var isEmpty: Bool { factors.isEmpty }

    /// Those that an SDK can show and answer.
    package var answerable: [Factor] { factors.filter { $0.kind != .other && !$0.id.isEmpty } }

    package func factor(_ id: String) -> Factor? { factors.first { $0.id.isExactly(id) } }

    package func hasPhone(_ number: String) -> Bool { factors.contains { $0.kind == .phone(number) } }

    package var hasPhone: Bool { factors.contains { if case .phone = $0.kind { true } else { false } } }

    package var hasTOTP: Bool { factors.contains { $0.kind == .totp } }

    /// Whether all are authenticator apps, so that their secrets decide whether one can be judged here.
    var areAllApps: Bool { !isEmpty && factors.allSatisfy { $0.kind == .totp } }

    mutating func add(_ factor: Factor) { factors.append(factor) }

    mutating func remove(_ id: String) { factors.removeAll { $0.id.isExactly(id) } }

    /// Removes the authenticator apps whose secrets are lost. The list must have been read with its secrets.
    mutating func removeLost() { factors.removeAll { $0.kind == .totp && $0.totp == nil } }
}

extension SecondFactors.Factor {
    fileprivate init(_ json: JSON.Object) {
        self.json = json
        id = json["mfaEnrollmentId"]?.string?.asString ?? ""
        displayName = json["displayName"]?.string?.asString
        enrolledAt = json["enrolledAt"]?.string.flatMap { Self.inMilliseconds($0.asString) }
        kind =
            if let number = json["phoneInfo"]?.string { .phone(number.asString) } else if json["totpInfo"]?.object != nil { .totp } else {
                .other
            }
    }

    /// A new phone number, which the person has just proven or an administrator sets.
    ///
    /// - Parameter time: RFC 3339.
    init(phone number: String, id: String, name: String?, at time: String) {
        self.init(Self.json("phoneInfo", .string(number), id, name, time))
    }

    /// A new authenticator app.
    init(_ totp: TOTP, id: String, name: String?, at time: Instant) {
        let info: JSON.Object = [
            "sharedSecretKey": .string(Base32.encode(totp.secret)), "hashingAlgorithm": .string(totp.hash.rawValue),
            "verificationCodeLength": .integer(Int64(totp.digits)), "periodSec": .integer(totp.period),
        ]
        self.init(Self.json("totpInfo", .object(info), id, name, Timestamp.text(time)))
    }

    private static func json(_ member: UTF8Text, _ value: JSON, _ id: String, _ name: String?, _ time: String) -> JSON.Object {
        var json: JSON.Object = ["mfaEnrollmentId": .string(id)]
        json["displayName"] = name.map { .string($0) }
        json["enrolledAt"] = .string(time)
        json[member] = value
        return json
    }

    /// The authenticator app's secret; `nil` for another kind, for a list that was read without secrets, and for a factor whose secret the
    /// system that it came from did not give.
    package var totp: TOTP? {
        guard let info = json["totpInfo"]?.object, let secret = info["sharedSecretKey"]?.string.flatMap({ Base32.decode($0.asString) }),
            let hash = TOTP.Hash(rawValue: info["hashingAlgorithm"]?.string?.asString ?? TOTP.Hash.sha1.rawValue)
        else { return nil }
        let digits = info["verificationCodeLength"]?.integer.flatMap { Int(exactly: $0) } ?? 6
        return TOTP(secret: secret, hash: hash, digits: digits, period: info["periodSec"]?.integer ?? 30)
    }

    /// The number as people see it who have not proven that it is theirs: all digits but the last four are hidden; `nil` for another kind.
    package var maskedNumber: String? {
        guard case .phone(let number) = kind else { return nil }
        let digits = number.utf8.dropFirst()
        return "+" + String(repeating: "*", count: max(0, digits.count - 4)) + String(decoding: digits.suffix(4), as: UTF8.self)
    }

    /// The same with another name.
    func renamed(_ name: String) -> Self {
        var json = json
        json["displayName"] = .string(name)
        return Self(json)
    }

    /// The same time with exactly three digits behind the seconds, as iOS reads it; `nil` for a text that is not a time of UTC.
    package static func inMilliseconds(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T") else { return nil }
        let fraction = bytes[19..<bytes.count - 1]
        guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") else { return nil }
        let digits = fraction.dropFirst().prefix(3)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let zeros = [UInt8](repeating: 0x30, count: 3 - digits.count)
        return String(decoding: bytes[..<19] + [UInt8(ascii: ".")] + digits + zeros + [UInt8(ascii: "Z")], as: UTF8.self)
    }
}

extension Account {
    /// Its second factors, without their secrets.
    package var factors: SecondFactors { SecondFactors(secondFactors) }

    /// The proof that a token shows, as far as the account still has its factor: tokens outlive a factor that is taken away (SEC-35).
    func standing(_ proof: SecondFactorProof?) -> SecondFactorProof? {
        guard let proof, let id = proof.id else { return proof }
        let stands =
            switch proof.kind {
            case SecondFactorProof.passkey: passkeys.contains { Passkey.factorID(of: $0.credentialID).isExactly(id) }
            default: factors.factor(id) != nil
            }
        return stands ? proof : nil
    }
}
