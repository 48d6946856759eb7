import Crypto
import Glibc
import JOSE
import JSON
import Testing
import Text

private let vectorFolder = getenv("GATEHOUSE_WYCHEPROOF").map { String(cString: $0) }

/// The JSON Web Signature and Key vectors of Project Wycheproof, read from the folder that `GATEHOUSE_WYCHEPROOF` names.
/// <https://github.com/C2SP/wycheproof> (testvectors_v1)
@Suite(.enabled(if: vectorFolder != nil, "set GATEHOUSE_WYCHEPROOF to the folder of the vectors"))
struct WycheproofTests {
    /// A vector to which we give another answer than it expects, and the reason. In all cases we refuse what the vectors call valid.
    struct Difference: Sendable {
        let vectors: [Int64]
        let error: JOSEError
        let reason: String
    }

    static let signatureDifferences = [
        Difference(
            vectors: [1, 348, 352, 357, 358, 359, 376, 377], error: .unsupportedAlgorithm,
            reason: "HMAC: who can verify can forge, and a public key may be taken for the secret"),
        Difference(
            vectors: Array(264...271), error: .unsupportedAlgorithm, reason: "RS384 and RS512: no issuer we serve needs them"),
        Difference(
            vectors: Array(320...323) + Array(325...328), error: .unsupportedAlgorithm,
            reason: "PS384 and PS512: no issuer we serve needs them"),
        Difference(
            vectors: [346, 350], error: .unsupportedAlgorithm,
            reason: "PS384 under a key that says PS256: the algorithm belongs to the key, and PS384 is not offered"),
        Difference(vectors: [347, 351], error: .unsupportedAlgorithm, reason: "ES512, and a key that says ES521: not offered"),
        Difference(
            vectors: [372], error: .malformed("header is not base64url"),
            reason: "a question mark in the header: base64url has one spelling"),
        Difference(
            vectors: [373], error: .malformed("payload is not base64url"),
            reason: "a question mark in the payload: base64url has one spelling"),
    ]
    static let keyDifferences = [
        Difference(vectors: [2, 13, 14, 15], error: .unsupportedAlgorithm, reason: "HMAC, as above")
    ]
    static let cryptoDifferences = [
        Difference(vectors: [1, 48], error: .unsupportedAlgorithm, reason: "HMAC, as above"),
        Difference(vectors: [50, 67], error: .malformed("not three parts"), reason: "encrypted tokens (JWE) are not offered"),
    ]

    @Test(arguments: [
        ("json_web_signature_test.json", signatureDifferences, 401), ("json_web_key_test.json", keyDifferences, 26),
        ("json_web_crypto_test.json", cryptoDifferences, 83),
    ])
    func `SEC-12 answers every vector as it says, or as our policy says`(file: String, differences: [Difference], count: Int) throws {
        let expected = Dictionary(uniqueKeysWithValues: differences.flatMap { d in d.vectors.map { ($0, d.error) } })
        let document = try JSON.parse(Self.read(file))
        var differing: Set<Int64> = []
        var seen = 0
        for group in try #require(document["testGroups"]?.array) {
            let key = try #require(group["public"] ?? group["private"])
            let keys = key["keys"] == nil ? JWKSet(["keys": [key]]) : JWKSet(key)
            for vector in try #require(group["tests"]?.array) {
                seen += 1
                let id = try #require(vector["tcId"]?.integer)
                let token = try #require(vector["jws"] ?? vector["jwe"])
                let error = Self.refusal(of: token.string?.asString ?? token.text(), keys)
                let valid = vector["result"] == "valid"
                if valid, error != nil { differing.insert(id) }
                let comment = "\(file) \(id) \(vector["comment"]?.string ?? ""): \(error.map { "\($0)" } ?? "accepted")"
                #expect(error == expected[id] || (!valid && error != nil), "\(comment)")
            }
        }
        #expect(differing == Set(expected.keys), "a difference in the table that is none")
        #expect(seen == count)
    }

    /// Nil when the token is accepted. All our algorithms are allowed, so that only token and key decide.
    static func refusal(of token: String, _ keys: JWKSet) -> JOSEError? {
        _ = try? UnverifiedJWT.parse(token, as: .idToken)
        do {
            _ = try JWS.parse(token).verified(with: keys, algorithms: Set(Algorithm.allCases))
            return nil
        } catch {
            return error
        }
    }

    static func read(_ file: String) throws -> [UInt8] {
        let stream = try #require(fopen("\(vectorFolder ?? "")/\(file)", "r"), "cannot open \(file)")
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return bytes
    }
}
