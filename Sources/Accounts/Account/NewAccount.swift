import Crypto
import Runtime

extension Account {
    /// Makes a new account that has no data yet; its first sign-in is now.
    init(id: String, at now: Instant) {
        self.id = id
        validSince = Instant(seconds: now.seconds)
        createdAt = now
        lastLoginAt = now
    }
}

/// Makes the ids of new accounts.
enum AccountID {
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
