import Curl
import HTTP
import JSON
import Runtime
import Synchronization
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct MetadataTests {
    let issuer: FakeIssuer
    let time = TestTime()
    let provider: ConfiguredProvider

    init() throws {
        issuer = try FakeIssuer()
        provider = ConfiguredProvider(
            issuer.settings(), upstream: issuer.upstream, cache: MetadataCache(earlier: { .seconds(300) }), clock: time.clock)
    }

    private var now: Int64 { time.clock.now().seconds }

    private func signIn(_ key: FakeKey? = nil) async throws -> ProviderError? {
        await provider.refusal(of: try (key ?? issuer.key).sign(issuer.claims(["iat": .integer(now), "exp": .integer(now + 60)])))
    }

    @Test func `discovery and keys are fetched once in 55 minutes`() async throws {
        for _ in 0..<3 {
            #expect(try await signIn() == nil)
            time.advance(.seconds(1099))
        }
        #expect(issuer.upstream.requests.map(\.url) == [issuer.documentURL, issuer.keysURL])
        time.advance(.seconds(3))
        #expect(try await signIn() == nil)
        #expect(issuer.upstream.requests.count == 4)
    }

    @Test func `a failing issuer is lived with for a day, and asked once a minute`() async throws {
        #expect(try await signIn() == nil)
        issuer.upstream.fail(issuer.documentURL, .timedOut)
        issuer.upstream.answer(issuer.keysURL, text: "oops", status: 500)
        time.advance(.seconds(3600))
        for _ in 0..<5 { #expect(try await signIn() == nil) }
        #expect(issuer.upstream.requests.count == 4)
        time.advance(.seconds(60))
        #expect(try await signIn() == nil)
        #expect(issuer.upstream.requests.count == 6)
        time.advance(.seconds(86_400 - 3661))
        #expect(try await signIn() == nil)
        time.advance(.seconds(1))
        #expect(try await signIn()?.isUnavailable == true)
    }

    @Test func `an issuer that comes back is used at once`() async throws {
        issuer.upstream.fail(issuer.documentURL, .unreachable("down"))
        #expect(try await signIn() != nil)
        issuer.publish()
        #expect(try await signIn() == nil)
    }

    @Test func `an unknown key a hundred times in a minute causes one fetch`() async throws {
        let unknown = try FakeKey.otherRSA("unknown")
        for _ in 0..<100 {
            #expect(try await signIn(unknown)?.reason == "The ID token is signed with a key that the provider does not publish.")
        }
        #expect(issuer.upstream.count(issuer.keysURL) == 2, "the first one was for all keys")
        time.advance(.seconds(60))
        for _ in 0..<100 { #expect(try await signIn(unknown) != nil) }
        #expect(issuer.upstream.count(issuer.keysURL) == 3)
        #expect(issuer.upstream.count(issuer.documentURL) == 1)
    }

    @Test func `a new key is found when a token names it`() async throws {
        #expect(try await signIn() == nil)
        time.advance(.seconds(120))
        let new = try FakeKey.otherRSA("new")
        issuer.publish(keys: [issuer.key.json, new.json])
        #expect(try await signIn(new) == nil)
        #expect(issuer.upstream.count(issuer.keysURL) == 2)
    }

    @Test func `an issuer that begins again with new keys right after the first fetch is asked again`() async throws {
        #expect(try await signIn() == nil)
        time.advance(.seconds(1))
        let new = try FakeKey.otherRSA("new")
        issuer.publish(keys: [new.json])
        #expect(try await signIn(new) == nil)
        #expect(issuer.upstream.count(issuer.keysURL) == 2)
        // Whoever invents keys causes no more requests than one a minute.
        let newest = try FakeKey.rsa("newest")
        issuer.publish(keys: [newest.json])
        #expect(try await signIn(newest) != nil)
        time.advance(.seconds(60))
        #expect(try await signIn(newest) == nil)
    }

    @Test func `a wrong signature fetches nothing`() async throws {
        #expect(try await signIn() == nil)
        time.advance(.seconds(120))
        #expect(try await signIn(.otherRSA(issuer.key.id))?.reason == "The ID token's signature is wrong.")
        #expect(issuer.upstream.count(issuer.keysURL) == 1)
    }

    @Test func `callers that ask meanwhile wait for the same fetch`() async throws {
        let (waiting, begun) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let document = JSON.object(issuer.document).bytes()
        issuer.upstream.answer(issuer.documentURL) { _ in
            begun.yield()
            for await _ in gate { break }
            return OutboundResponse(body: document)
        }
        let provider = provider
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await provider.authorize() } }
            for await _ in waiting { break }
            open.yield()
            open.finish()
            try await group.waitForAll()
        }
        #expect(issuer.upstream.count(issuer.documentURL) == 1)
    }

    @Test func `who waited shares a failure instead of asking again`() async throws {
        let (waiting, begun) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let values = RemoteValues<Int>(earlier: { .zero })
        let broken = ProviderError.invalidResponse("broken", detail: "")
        let first = Task {
            await failure { () async throws(ProviderError) in
                _ = try await values.value(of: "x", now: FakeIssuer.now) { () async throws(ProviderError) in
                    begun.yield()
                    for await _ in gate { break }
                    throw broken
                }
            }
        }
        for await _ in waiting { break }
        let second = Task {
            await failure { () async throws(ProviderError) in
                _ = try await values.value(of: "x", now: FakeIssuer.now) { () async throws(ProviderError) in throw broken }
            }
        }
        open.yield()
        #expect(await first.value == broken)
        #expect(await second.value == broken)
    }

    @Test func `who waited asks again when the first asker was cancelled`() async throws {
        let (waiting, begun) = AsyncStream.makeStream(of: Void.self)
        let values = RemoteValues<Int>(earlier: { .zero })
        let first = Task {
            await failure { () async throws(ProviderError) in
                _ = try await values.value(of: "x", now: FakeIssuer.now) { () async throws(ProviderError) in
                    begun.yield()
                    // Ends when the task is cancelled.
                    try? await Task.sleep(for: .seconds(3600))
                    throw .invalidResponse("cancelled", detail: "")
                }
            }
        }
        for await _ in waiting { break }
        let second = Task { () async throws -> Int in
            try await values.value(of: "x", now: FakeIssuer.now) { () async throws(ProviderError) in 2 }
        }
        first.cancel()
        #expect(await first.value != nil)
        #expect(try await second.value == 2)
    }

    @Test func `the cache does not grow with the names that apps make up`() async throws {
        let values = RemoteValues<Int>(earlier: { .zero })
        for number in 0..<2000 {
            _ = try await values.value(of: "\(number)", now: FakeIssuer.now + .seconds(number)) { () async throws(ProviderError) in number }
        }
        #expect(values.count == 512)
        let asked = Counter()
        for number in 1488..<2000 {
            _ = try await values.value(of: "\(number)", now: FakeIssuer.now + .seconds(2000)) { () async throws(ProviderError) in
                asked.increment()
                return number
            }
        }
        #expect(asked.value == 0)
    }

    @Test func `weak keys are skipped`() async throws {
        // 512 bits, and exponent 1.
        let short = String(repeating: "A", count: 85) + "Q"
        let modulus = try #require(issuer.key.json["n"]?.string)
        issuer.publish(keys: [
            ["kty": "RSA", "kid": "rsa", "n": .string(short), "e": "AQAB"], ["kty": "RSA", "kid": "rsa", "n": .string(modulus), "e": "AQ"],
        ])
        #expect(try await signIn()?.logDetail.contains("has no key that can be used (2 were skipped)") == true)
    }

    @Test(arguments: ["", "<html>", "[]", #"{"keys":[]}"#, #"{"keys":{}}"#, #"{"keys":[1]}"#, #"{"keys":"#])
    func `a document that is not a key set is refused`(_ text: String) async throws {
        issuer.upstream.answer(issuer.keysURL, text: text, type: "application/json")
        #expect(try await signIn()?.reason != nil)
    }

    @Test(arguments: [301, 302, 307, 404, 500])
    func `SEC-13 only a plain 200 is a discovery document`(_ status: Int) async throws {
        let text = JSON.object(issuer.document).text()
        issuer.upstream.answer(issuer.documentURL, text: text, status: status)
        #expect(try await signIn()?.logDetail.contains("answers with status \(status)") == true)
    }

    @Test func `SEC-13 an address that may not be dialled is explained to the operator`() async throws {
        issuer.upstream.fail(issuer.documentURL, .refusedAddress)
        #expect(try await signIn()?.logDetail.contains("outbound.allow") == true)
    }
}
