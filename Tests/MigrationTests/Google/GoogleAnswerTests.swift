import Curl
import HTTP
import TestKit
import Testing

@testable import Migration

struct GoogleAnswerTests {
    @Test(arguments: [
        (OutboundError.unreachable("Could not resolve host: oauth2.googleapis.com"), "Could not resolve host: oauth2.googleapis.com"),
        (.refusedAddress, "it is at an address that may not be dialled (outbound.allow in the configuration lists exceptions)"),
        (.refusedURL, "its URL may not be fetched (plain http goes to addresses of outbound.allow alone)"),
        (.refusedHeader("authorization"), "the header authorization of the request is malformed"),
        (.timedOut, "it did not answer in time"), (.tooLarge, "its answer is too large"),
        (.cancelled, "the call was given up before the answer"),
    ])
    func `says in words why Google gave no answer`(error: OutboundError, reason: String) async throws {
        let google = try GoogleDouble()
        google.fixture.upstream.fail(GoogleAddress.accessTokens, error)
        await #expect(throws: GoogleFailure.unavailable("Google's token endpoint gave no answer: \(reason)")) {
            try await google.calls.success(.get, "/v1/projects/acme-prod", "project", timeout: .seconds(1))
        }
    }
}
