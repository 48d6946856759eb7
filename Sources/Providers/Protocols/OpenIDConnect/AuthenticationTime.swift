import JOSE
package import Runtime
package import Text

/// A sign-in for which the person must prove themselves to the provider now, whatever session they have there.
extension ProviderSettings {
    /// The parameters that ask the provider for it. <https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest>
    ///
    /// An issuer of the operator's choice is also asked by `max_age`, after which the standard has its ID token say when the person proved
    /// themselves. 300 seconds are as long as a sign-in at the console is fresh.
    package var freshSignIn: [UTF8Text: UTF8Text] { isOfAnyIssuer ? ["prompt": "login", "max_age": "300"] : ["prompt": "login"] }

    /// A parameter of the entry that would take the place of one of these; `nil` without one.
    package var parameterOfFreshSignIn: String? { ["max_age", "prompt"].first { parameters[$0] != nil } }
}

extension ProviderResult {
    /// When the person proved themselves to the provider (`auth_time` of the verified ID token), and not later than now; `nil` where the token does
    /// not say it.
    ///
    /// Throws `invalidResponse` for a time that is malformed, or later than now by more than clocks differ.
    package func authenticationTime(at now: Instant) throws(ProviderError) -> Instant? {
        guard let idToken else { return nil }
        let time: Instant?
        do { time = try TokenTimes.time("auth_time", of: ConfiguredProvider.unverified(UTF8Text(idToken)).claims) } catch {
            throw .invalidResponse("The ID token does not say properly when the person signed in.", detail: "auth_time")
        }
        guard let time else { return nil }
        guard time.seconds > 0, time.seconds <= (now + TokenTimes.leeway).seconds else {
            throw .invalidResponse(
                "The ID token does not say properly when the person signed in.",
                detail: "auth_time is \(time.seconds - now.seconds) s from now")
        }
        return min(time, now)
    }
}
