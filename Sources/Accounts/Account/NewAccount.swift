import Crypto
package import Runtime
package import Text

extension Account {
    /// Makes a new account that has no data yet; its first sign-in is now.
    package init(id: String, at now: Instant) {
        self.id = id
        validSince = Instant(seconds: now.seconds)
        createdAt = now
        lastLoginAt = now
    }
}

/// The ids of accounts.
package enum AccountID {
    /// In characters.
    package static let longest = 128

    /// Whether a back end may give an account this id.
    package static func isPossible(_ id: UTF8Text) -> Bool {
        let scalars = id.asString.unicodeScalars
        return (1...longest).contains(scalars.count) && scalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    /// 28 letters and digits, like Firebase's: 166 bits.
    static func random() -> String {
        var id = ""
        while id.utf8.count < 28 {
            // Bytes from 248 on would make the first letters more likely than the others.
            for byte in Random.bytes(32) where byte < 248 && id.utf8.count < 28 { id.append(alphabet[Int(byte) % 62]) }
        }
        return id
    }
}
