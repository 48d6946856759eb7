import JOSE
import JSON
import Runtime
import Testing
import Text

/// The times of another party's token, by a clock at second 1000 and a half.
@Suite struct TokenTimesTests {
    private static let now = Instant(microseconds: 1_000_500_000)

    private func fault(_ claims: JSON) -> TokenTimes.Fault? {
        do throws(TokenTimes.Fault) {
            _ = try TokenTimes(claims, at: Self.now)
            return nil
        } catch { return error }
    }

    @Test(
        arguments: [
            ["exp": 941], ["exp": 941.9, "iat": 1], ["exp": 2000, "iat": 1060], ["exp": 2000, "iat": 1060.9], ["exp": 2000, "nbf": 1060],
            ["exp": 2000, "nbf": .null, "iat": .null], ["exp": 2e9], ["exp": 4_102_444_800],
        ] as [JSON])
    func `takes a token whose clock is up to a minute ahead or behind`(claims: JSON) {
        #expect(fault(claims) == nil)
    }

    @Test(
        arguments: [
            (["exp": 940], .expired), (["exp": 940.9], .expired), (["exp": 2000, "iat": 1061], .issuedInFuture(by: 61)),
            (["exp": 2000, "nbf": 1061], .notValidYet),
            (["iat": 1000], .malformed("exp")), (["exp": .null], .malformed("exp")), (["exp": "2000"], .malformed("exp")),
            (["exp": 1e30], .malformed("exp")), (["exp": 2000, "iat": ["x"]], .malformed("iat")),
            (["exp": 2000, "nbf": true], .malformed("nbf")), (["exp": -9e18], .expired),
        ] as [(JSON, TokenTimes.Fault)])
    func `refuses a token out of its time, and times that are not numbers`(claims: JSON, expected: TokenTimes.Fault) {
        #expect(fault(claims) == expected)
    }

    @Test(
        arguments: [
            (1_795_737_423.5, 1_795_737_423), (1_795_737_423.999, 1_795_737_423), (1_795_737_423.0, 1_795_737_423), (-0.5, -1), (5e3, 5000),
        ] as [(JSON, Int64)])
    func `cuts the fraction of a second off`(written: JSON, seconds: Int64) throws {
        let times = try TokenTimes(["exp": 1_795_741_023.75, "iat": written], at: Instant(seconds: 1_795_737_423))
        #expect(times.issued == Instant(seconds: seconds) && times.expires == Instant(seconds: 1_795_741_023))
    }
}
