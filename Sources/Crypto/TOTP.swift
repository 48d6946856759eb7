package import Runtime

/// The one-time passwords of an authenticator app: a secret that the app and this server share, and the codes that both compute from the time.
/// <https://www.rfc-editor.org/rfc/rfc6238>
package struct TOTP: Sendable, Equatable {
    /// The hash of the HMAC, by the names that authenticator apps know.
    package enum Hash: String, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    package let secret: [UInt8]
    package let hash: Hash
    package let digits: Int
    /// How long a code is the newest one, in seconds.
    package let period: Int64

    /// `nil` for a secret without bytes, a period that is not 1 to 3600 seconds, and digits that are not 6 to 8.
    package init?(secret: [UInt8], hash: Hash = .sha1, digits: Int = 6, period: Int64 = 30) {
        guard !secret.isEmpty, (6...8).contains(digits), (1...3600).contains(period) else { return nil }
        self.secret = secret
        self.hash = hash
        self.digits = digits
        self.period = period
    }

    /// Bytes of a new secret. <https://www.rfc-editor.org/rfc/rfc4226#section-4>
    package static let secretCount = 20

    /// The number of the period that `time` is in, counted from 1970.
    package func step(at time: Instant) -> Int64 { time.seconds / period }

    /// The code of a step. <https://www.rfc-editor.org/rfc/rfc4226#section-5.3>
    package func code(at step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac: [UInt8] =
            switch hash {
            case .sha1: HMAC.sha1.authenticate(counter, key: secret)
            case .sha256: HMAC.sha256.authenticate(counter, key: secret)
            case .sha512: HMAC.sha512.authenticate(counter, key: secret)
            }
        let offset = Int(mac[mac.count - 1] & 0x0F)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus: UInt32 = (0..<digits).reduce(1) { power, _ in power * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// The step that a code is of, as far as `adjacent` periods before or after `time`; `nil` for another text. Spaces inside do not count.
    ///
    /// Compares all of them, each in constant time, so that the time does not tell how near a guess was.
    package func step(of code: String, at time: Instant, adjacent: Int64) -> Int64? {
        let shown = code.utf8.filter { $0 != UInt8(ascii: " ") }
        guard shown.count == digits, shown.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let present = step(at: time)
        var found: Int64?
        for step in present - adjacent...present + adjacent where step >= 0 {
            let isEqual = constantTimeEqual(shown, Array(self.code(at: step).utf8))
            if isEqual { found = step }
        }
        return found
    }
}
