import Accounts
import HTTP
import JSON
import Postgres
import ProjectSettings
import Testing
import Text
@testable import Web

@Suite struct OAuthErrorTests {
    private func response(_ failure: Failure) -> Response {
        FailureResponse.make(failure, in: .oauthJSON, Request(method: .post, path: "/", id: RequestID(0xABC)))
    }

    @Test func `a fact about the grant is JSON that no cache keeps`() throws {
        let response = response(.invalidGrant)
        #expect(response.status == 400)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers["cache-control"] == "no-store" && response.headers["pragma"] == "no-cache")
        #expect(response.headers["www-authenticate"] == nil)
        let body = try JSON.parse(response.body)
        #expect(body["error"]?.string == "invalid_grant")
        #expect(body.object?.map(\.name) == ["error", "error_description"])
    }

    @Test func `a client is asked for its credentials only in the way that it used`() {
        #expect(response(.invalidClient(isChallenged: false)).status == 401)
        #expect(response(.invalidClient(isChallenged: false)).headers["www-authenticate"] == nil)
        #expect(response(.invalidClient(isChallenged: true)).headers["www-authenticate"]?.hasPrefix("Basic realm=\"") == true)
    }

    @Test func `a request without an access token is told no error code`() {
        let response = response(.missingAccessToken)
        #expect(response.status == 401 && response.headers["www-authenticate"] == "Bearer realm=\"userinfo\"")
        #expect(response.headers["content-type"]?.hasPrefix("text/plain") == true)
        #expect(self.response(.invalidAccessToken).headers["www-authenticate"]?.contains("error=\"invalid_token\"") == true)
        #expect(self.response(.insufficientScope).status == 403)
    }

    @Test(arguments: [AccountError.tooManyAttempts(.clientSecret, by: .address), .quotaExceeded(.startSignIn)])
    func `a limit is JSON without the member by which apps learn that their session has ended`(error: AccountError) throws {
        let response = response(Failure(describing: error))
        #expect(response.status == 429 && response.headers["content-type"] == "application/json")
        #expect(response.headers["retry-after"] == "30" && response.headers["cache-control"] == "no-store")
        #expect(try JSON.parse(response.body).object?.map(\.name) == ["error_description", "request_id"])
    }

    @Test(arguments: [
        (Failure.unavailable, 503), (.internal, 500), (Failure(describing: AccountError.database(.locked)), 503),
        (Failure(describing: AccountError.database(.unavailable("gone"))), 503),
    ])
    func `what is not about the grant is text, which no app takes for the end of its session`(failure: Failure, status: Int) throws {
        let response = response(failure)
        #expect(response.status == status)
        #expect(response.headers["content-type"]?.hasPrefix("text/plain") == true)
        #expect(response.headers["retry-after"] != nil)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("error\""))
    }

    @Test(arguments: [(Failure.notFound, 404), (.methodNotAllowed, 405), (.bodyTooLarge, 413)])
    func `so is an address that is not there, and a body that is too long`(failure: Failure, status: Int) {
        let response = response(failure)
        #expect(response.status == status && response.headers["content-type"]?.hasPrefix("text/plain") == true)
    }

    @Test func `any other error of a call is an invalid request`() throws {
        let response = response(.invalidArgument("The \"form\" is\r\nbad \\ ä."))
        #expect(response.status == 400)
        let body = try JSON.parse(response.body)
        #expect(body["error"]?.string == "invalid_request")
        #expect(body["error_description"]?.string == "The 'form' is''bad ' '.")
    }

    @Test func `what the rules refuse is told by the codes of RFC 6749`() {
        for (error, code) in [
            (AccountError.grantRefused, "invalid_grant"), (.grantOfOtherFlow, "invalid_grant"), (.scopeTooWide, "invalid_scope"),
        ] { #expect(Failure(describing: error).oauthError == code) }
    }
}
