import Crypto
import JSON
import Migration
import Text

/// Firebase's published example of its scrypt: the password is `user1password`. <https://github.com/firebase/scrypt>
enum FirebaseSample {
    static let block = """
        hash_config {
          algorithm: SCRYPT,
          base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
          base64_salt_separator: Bw==,
          rounds: 8,
          mem_cost: 14,
        }

        """
    static let password = "user1password"
    static let salt = "42xEC+ixf3L2lw=="
    static let hash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

    static func parameters() throws -> HashParameters { try HashParameters(reading: UTF8Text(block)) }
}

extension ImportedPassword {
    /// Whether this is the password, with the keys of the import. A fast digest is wrapped in a cheap scrypt.
    func isOf(_ password: String, _ keys: [ImportedHashKey]) throws -> Bool {
        switch self {
        case .hash(let hash): return try hash.matches(password, ImportedHashKeys(keys))
        case .plain(let plain): return plain == password
        case .digest(let inner, let digest):
            let cheap = ScryptParameters(log2N: 1, blockSize: 1)
            return try PasswordHash(try WrappedHash(inner, bytes: try inner.bytes(of: digest), cheap)).matches(
                password, ImportedHashKeys(keys))
        }
    }
}
