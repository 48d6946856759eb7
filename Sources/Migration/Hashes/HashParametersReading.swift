import Crypto
package import JSON
package import Text

extension HashParameters {
    /// Reads the hash parameters at the top level of `accounts:batchCreate`, or Firebase's `hashConfig` as the configuration of a project has it.
    /// `nil` where there are none.
    ///
    /// Where a call does not say the order of salt and password, as the Admin SDKs do not, Firebase takes the salt first.
    /// <https://blog.salrashid.dev/articles/2020/firebase_import/>
    package init?(_ object: JSON.Object) throws(HashParametersFault) {
        guard let parameters = try HashParameters(HashMembers(object)) else { return nil }
        self =
            switch parameters.algorithm {
            case .hmac(let digest, let key, nil): Self(.hmac(digest, key, .saltFirst))
            case .digest(let digest, let rounds, nil): Self(.digest(digest, rounds: rounds, .saltFirst))
            default: parameters
            }
    }

    /// Reads the text of a file: the block that Firebase's console shows under "Password hash parameters", or JSON.
    ///
    /// For Firebase's own scrypt it must have everything, since a wrong parameter accepts every hash and then refuses every person.
    package init(reading text: UTF8Text) throws(HashParametersFault) {
        let object = try HashParametersText.object(text)
        let members = HashMembers(object)
        guard let parameters = try HashParameters(members) else {
            throw HashParametersFault("hashAlgorithm", "it is missing; the console's block begins with hash_config { algorithm: SCRYPT")
        }
        if parameters.isFirebaseScrypt {
            for name in [HashMembers.saltSeparator, HashMembers.rounds, HashMembers.memoryCost] where members[name] == nil {
                let hint = name == HashMembers.saltSeparator ? " Firebase's is often Bw==, and \"\" says that there is none." : ""
                throw HashParametersFault(name.wireName, "it is missing; copy all of the console's block.\(hint)")
            }
        }
        self = parameters
    }

    private init?(_ members: HashMembers) throws(HashParametersFault) {
        guard let name = try members.text(HashMembers.algorithm), name != "HASH_ALGORITHM_UNSPECIFIED" else { return nil }
        switch name {
        case "SCRYPT":
            let key = try members.key(saltSeparator: try members.bytes(HashMembers.saltSeparator) ?? [])
            let rounds = try members.number(HashMembers.rounds, in: 1...8, default: 8)
            self.init(
                .firebaseScrypt(memoryCost: try members.number(HashMembers.memoryCost, in: 1...14, default: 14), rounds: rounds, key))
        case "BCRYPT": self.init(.bcrypt)
        case "MD5": self = try Self.digest(.md5, members, leastRounds: 0)
        case "SHA1": self = try Self.digest(.sha1, members)
        case "SHA256": self = try Self.digest(.sha256, members)
        case "SHA512": self = try Self.digest(.sha512, members)
        case "HMAC_MD5": self = try Self.hmac(.md5, members)
        case "HMAC_SHA1": self = try Self.hmac(.sha1, members)
        case "HMAC_SHA256": self = try Self.hmac(.sha256, members)
        case "HMAC_SHA512": self = try Self.hmac(.sha512, members)
        case "PBKDF_SHA1": self.init(.pbkdf2(.sha1, iterations: try members.number(HashMembers.rounds, in: 1...120_000)))
        case "PBKDF2_SHA256": self.init(.pbkdf2(.sha256, iterations: try members.number(HashMembers.rounds, in: 1...120_000)))
        case "STANDARD_SCRYPT": self = try Self.standardScrypt(members)
        case "ARGON2": self = try Self.argon2(members)
        default: throw HashParametersFault("hashAlgorithm", "\(name.prefix(bytes: 32)) is not an algorithm of this import")
        }
    }

    private static func digest(_ digest: FastDigest, _ members: HashMembers, leastRounds: Int = 1) throws(HashParametersFault) -> Self {
        Self(.digest(digest, rounds: try members.number(HashMembers.rounds, in: leastRounds...8192), try members.order()))
    }

    private static func hmac(_ digest: FastDigest, _ members: HashMembers) throws(HashParametersFault) -> Self {
        Self(.hmac(digest, try members.key(saltSeparator: []), try members.order()))
    }

    private static func standardScrypt(_ members: HashMembers) throws(HashParametersFault) -> Self {
        let cost = try members.number(HashMembers.cpuMemCost, in: 2...1 << 24)
        guard cost & (cost - 1) == 0 else {
            throw HashParametersFault("cpuMemCost", "it is \(cost), and must be scrypt's N itself, a power of two such as 16384")
        }
        let parameters = ScryptParameters(
            log2N: cost.trailingZeroBitCount, blockSize: try members.number(HashMembers.blockSize, in: 1...256),
            parallelization: try members.number(HashMembers.parallelization, in: 1...256))
        guard parameters.areAcceptable else {
            throw HashParametersFault("cpuMemCost", "one hash with these parameters would cost more than 256 MiB or a few seconds")
        }
        return Self(.scrypt(parameters, length: try members.optionalNumber(HashMembers.dkLen, in: 16...64)))
    }

    private static func argon2(_ members: HashMembers) throws(HashParametersFault) -> Self {
        guard let inner = try members.object(HashMembers.argon2Parameters).map(HashMembers.init) else {
            throw HashParametersFault("argon2Parameters", "they are missing")
        }
        let variants: [UTF8Text: Argon2Hash.Variant] = ["ARGON2_ID": .argon2id, "ARGON2_I": .argon2i]
        guard let type = try inner.text(HashMembers.hashType), let variant = variants[type] else {
            throw HashParametersFault("hashType", "it must be ARGON2_ID or ARGON2_I; ARGON2_D is not supported")
        }
        if let version = try inner.text(HashMembers.version), version != "VERSION_13" {
            throw HashParametersFault("version", "it must be VERSION_13")
        }
        guard try inner.bytes(HashMembers.associatedData) ?? [] == [] else {
            throw HashParametersFault("associatedData", "it is not supported")
        }
        return Self(
            .argon2(
                variant, memory: try inner.number(HashMembers.memoryCostKib, in: 8...32_768),
                iterations: try inner.number(HashMembers.iterations, in: 1...16),
                parallelism: try inner.number(HashMembers.parallelism, in: 1...16),
                length: try inner.optionalNumber(HashMembers.hashLengthBytes, in: 16...128)))
    }
}
