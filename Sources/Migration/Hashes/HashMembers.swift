import Crypto
import JSON
import Text

/// The members of hash parameters, by each of the names that they have in Firebase's API, in its configuration and in its console.
struct HashMembers {
    struct Member: Equatable {
        /// As `accounts:batchCreate` calls it.
        let wireName: String
        fileprivate let names: [UTF8Text]

        init(_ names: UTF8Text...) { (wireName, self.names) = (names[0].asString, names) }
    }

    static let algorithm = Member("hashAlgorithm", "hash_algorithm", "algorithm")
    static let signerKey = Member("signerKey", "signer_key", "base64_signer_key")
    static let saltSeparator = Member("saltSeparator", "salt_separator", "base64_salt_separator")
    static let rounds = Member("rounds")
    static let memoryCost = Member("memoryCost", "memory_cost", "mem_cost")
    static let order = Member("passwordHashOrder", "password_hash_order")
    static let cpuMemCost = Member("cpuMemCost", "cpu_mem_cost")
    static let parallelization = Member("parallelization")
    static let blockSize = Member("blockSize", "block_size")
    static let dkLen = Member("dkLen", "dk_len")
    static let argon2Parameters = Member("argon2Parameters", "argon2_parameters")
    static let hashType = Member("hashType", "hash_type")
    static let version = Member("version")
    static let associatedData = Member("associatedData", "associated_data")
    static let memoryCostKib = Member("memoryCostKib", "memory_cost_kib")
    static let iterations = Member("iterations")
    static let parallelism = Member("parallelism")
    static let hashLengthBytes = Member("hashLengthBytes", "hash_length_bytes")

    private let object: JSON.Object

    init(_ object: JSON.Object) { self.object = object }

    subscript(member: Member) -> JSON? {
        member.names.lazy.compactMap { object[$0] }.first.flatMap { $0.isNull ? nil : $0 }
    }

    func text(_ member: Member) throws(HashParametersFault) -> UTF8Text? {
        guard let value = self[member] else { return nil }
        guard let text = value.string else { throw HashParametersFault(member.wireName, "it must be a text") }
        return text
    }

    func object(_ member: Member) throws(HashParametersFault) -> JSON.Object? {
        guard let value = self[member] else { return nil }
        guard let object = value.object else { throw HashParametersFault(member.wireName, "it must be an object") }
        return object
    }

    func bytes(_ member: Member) throws(HashParametersFault) -> [UInt8]? {
        guard let text = try text(member) else { return nil }
        guard let bytes = Base64.decode(text.asString) else { throw HashParametersFault(member.wireName, "it is not base64") }
        return bytes
    }

    /// A number, also one that is written as a text.
    func optionalNumber(_ member: Member, in allowed: ClosedRange<Int>) throws(HashParametersFault) -> Int? {
        guard let value = self[member] else { return nil }
        guard let number = value.integer.map(Int.init) ?? value.string.flatMap({ Int($0.asString) }) else {
            throw HashParametersFault(member.wireName, "it must be a number")
        }
        guard allowed.contains(number) else {
            let hint = member == Self.rounds && allowed.upperBound == 8 ? "; are rounds and mem_cost swapped?" : ""
            throw HashParametersFault(
                member.wireName, "it is \(number), and must be \(allowed.lowerBound) to \(allowed.upperBound)\(hint)")
        }
        return number
    }

    func number(_ member: Member, in allowed: ClosedRange<Int>, default usual: Int? = nil) throws(HashParametersFault) -> Int {
        guard let number = try optionalNumber(member, in: allowed) ?? usual else {
            throw HashParametersFault(member.wireName, "it is missing")
        }
        return number
    }

    func key(saltSeparator: [UInt8]) throws(HashParametersFault) -> ImportedHashKey {
        guard let secret = try bytes(Self.signerKey), !secret.isEmpty else {
            throw HashParametersFault(Self.signerKey.wireName, "it is missing")
        }
        do throws(PasswordHashFault) {
            return try ImportedHashKey(derivingIDFrom: secret, saltSeparator: saltSeparator)
        } catch { throw HashParametersFault(Self.signerKey.wireName, "\(error)") }
    }

    func order() throws(HashParametersFault) -> SaltedDigest.Order? {
        switch try text(Self.order) {
        case nil, "UNSPECIFIED_ORDER": nil
        case "SALT_AND_PASSWORD": .saltFirst
        case "PASSWORD_AND_SALT": .passwordFirst
        default: throw HashParametersFault(Self.order.wireName, "it must be SALT_AND_PASSWORD or PASSWORD_AND_SALT")
        }
    }
}

/// The text of a file with hash parameters.
enum HashParametersText {
    private static let longest = 64 << 10

    /// The members of JSON (also under `hashConfig` or `signIn.hashConfig`), or of the console's block:
    ///
    ///     hash_config {
    ///       algorithm: SCRYPT,
    ///       base64_signer_key: jxspr8…==,
    ///       rounds: 8,
    ///     }
    static func object(_ text: UTF8Text) throws(HashParametersFault) -> JSON.Object {
        guard text.utf8.count <= longest else { throw HashParametersFault("file", "it is longer than 64 KiB") }
        if let object = (try? JSON.parse(text.asString))?.object {
            let outer = object["signIn"]?.object ?? object["sign_in"]?.object ?? object
            return outer["hashConfig"]?.object ?? outer["hash_config"]?.object ?? outer
        }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var object = JSON.Object()
        let separators = Array("{},\n".utf8)
        for entry in text.split(where: { separators.contains($0) }) {
            let words = entry.split(where: isSpace)
            guard !words.isEmpty, words != ["hash_config"] else { continue }
            guard let name = words.first, words.count == 2, name.hasSuffix(":") else {
                throw HashParametersFault(
                    "file", "it is neither JSON nor a block hash_config { name: value, … } as Firebase's console shows it")
            }
            let value = words[1].asString.utf8.filter { $0 != UInt8(ascii: "\"") }
            object[UTF8Text(decoding: name.asString.utf8.dropLast())] = .string(UTF8Text(decoding: value))
        }
        return object
    }
}
