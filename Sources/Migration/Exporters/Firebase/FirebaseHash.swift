import Crypto
import JSON
import Text

/// A hash algorithm of Firebase with its parameters. All hashes of one import into Firebase share them.
/// <https://firebase.google.com/docs/cli/auth#hash_options> <https://firebase.google.com/docs/auth/admin/import-users>
package enum FirebaseHash: Sendable, Hashable {
    case standardScrypt(log2N: Int, blockSize: Int, parallelization: Int, length: Int)
    case firebaseScrypt(memoryCost: Int, rounds: Int, keyID: String)
    case bcrypt
    case pbkdf2SHA1(rounds: Int)
    case pbkdf2SHA256(rounds: Int)

    /// Why Firebase cannot check a hash.
    struct Unsupported: Error {
        /// Such as "argon2id".
        let scheme: String
    }

    private static let mostRounds = 120_000

    /// Throws for a hash that no import into Firebase takes.
    init(_ hash: PasswordHash) throws(Unsupported) {
        switch hash.scheme {
        case let scrypt as ScryptHash:
            let parameters = scrypt.parameters
            self = .standardScrypt(
                log2N: parameters.log2N, blockSize: parameters.blockSize, parallelization: parameters.parallelization,
                length: scrypt.digest.count)
        case let scrypt as FirebaseScryptHash:
            self = .firebaseScrypt(
                memoryCost: scrypt.parameters.log2N, rounds: scrypt.parameters.blockSize, keyID: scrypt.keyID ?? "")
        case is BcryptHash: self = .bcrypt
        case let pbkdf2 as PBKDF2Hash where pbkdf2.function != .sha512:
            guard pbkdf2.iterations <= Self.mostRounds else {
                throw Unsupported(scheme: "PBKDF2 with more than \(Self.mostRounds) rounds")
            }
            self = pbkdf2.function == .sha1 ? .pbkdf2SHA1(rounds: pbkdf2.iterations) : .pbkdf2SHA256(rounds: pbkdf2.iterations)
        case is PBKDF2Hash: throw Unsupported(scheme: "PBKDF2 with SHA-512")
        case let argon2 as Argon2Hash: throw Unsupported(scheme: argon2.variant.rawValue)
        case is WrappedHash: throw Unsupported(scheme: "a digest that is wrapped in scrypt")
        default: throw Unsupported(scheme: "another scheme")
        }
    }

    /// Letters, digits and hyphens: the same for the same parameters.
    var fileName: String {
        switch self {
        case .standardScrypt(let log2N, let blockSize, let parallelization, let length):
            "scrypt-n\(1 << log2N)-r\(blockSize)-p\(parallelization)-\(length)"
        case .firebaseScrypt(let memoryCost, let rounds, let keyID): "firebase-scrypt-\(memoryCost)-\(rounds)-\(keyID)"
        case .bcrypt: "bcrypt"
        case .pbkdf2SHA1(let rounds): "pbkdf2-sha1-\(rounds)"
        case .pbkdf2SHA256(let rounds): "pbkdf2-sha256-\(rounds)"
        }
    }

    var algorithm: String {
        switch self {
        case .standardScrypt: "STANDARD_SCRYPT"
        case .firebaseScrypt: "SCRYPT"
        case .bcrypt: "BCRYPT"
        case .pbkdf2SHA1: "PBKDF_SHA1"
        case .pbkdf2SHA256: "PBKDF2_SHA256"
        }
    }

    /// The options of `firebase auth:import`, as words of a shell. A signer key never stands in an export: the shell takes it from its
    /// environment (SEC-58).
    var flags: String {
        let rest =
            switch self {
            case .standardScrypt(let log2N, let blockSize, let parallelization, let length):
                " --mem-cost=\(1 << log2N) --block-size=\(blockSize) --parallelization=\(parallelization) --dk-len=\(length)"
            case .firebaseScrypt(let memoryCost, let rounds, _):
                " --hash-key=\"$\(variables[0])\" --salt-separator=\"$\(variables[1])\" --rounds=\(rounds) --mem-cost=\(memoryCost)"
            case .bcrypt: ""
            case .pbkdf2SHA1(let rounds), .pbkdf2SHA256(let rounds): " --rounds=\(rounds)"
            }
        return "--hash-algo=\(algorithm)\(rest)"
    }

    /// The variables of the environment that `flags` reads: the signer key and the salt separator in base64.
    var variables: [String] {
        guard case .firebaseScrypt(_, _, let keyID) = self else { return [] }
        let suffix = String(decoding: keyID.utf8.map { Self.isLetterOrDigit($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        return ["SIGNER_KEY_\(suffix)", "SALT_SEPARATOR_\(suffix)"]
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }

    /// The member `hash` of the options of the Admin SDK's `importUsers`; key and separator are missing where `variables` names them.
    var options: JSON {
        var options: JSON.Object = ["algorithm": .string(algorithm)]
        switch self {
        case .standardScrypt(let log2N, let blockSize, let parallelization, let length):
            options["memoryCost"] = .integer(1 << Int64(log2N))
            options["parallelization"] = .integer(Int64(parallelization))
            options["blockSize"] = .integer(Int64(blockSize))
            options["derivedKeyLength"] = .integer(Int64(length))
        case .firebaseScrypt(let memoryCost, let rounds, _):
            options["rounds"] = .integer(Int64(rounds))
            options["memoryCost"] = .integer(Int64(memoryCost))
        case .bcrypt: break
        case .pbkdf2SHA1(let rounds), .pbkdf2SHA256(let rounds): options["rounds"] = .integer(Int64(rounds))
        }
        return .object(options)
    }
}
