import Curl
import JSON
import Runtime
import TestKit
import Testing

@testable import Providers

/// Tenants that apps name by a parameter: invented names cost little, and cost other users nothing.
@Suite struct NamedTenantTests {
    let microsoft: FakeMicrosoft
    let time = TestTime()
    let provider: ConfiguredProvider

    init() throws {
        microsoft = try FakeMicrosoft()
        let settings = microsoft.provider().settings
        provider = ConfiguredProvider(
            settings, upstream: microsoft.upstream, cache: MetadataCache(earlier: { .zero }), clock: time.clock)
    }

    private func invented(_ number: Int) -> String { "tenant-\(number).example" }

    private func start(_ tenant: String?) async -> ProviderError? {
        await failure { () async throws(ProviderError) in _ = try await provider.authorize(tenant.map { ["tenant": $0] } ?? [:]) }
    }

    private var requests: Int { microsoft.upstream.requests.count }

    @Test func `SEC-13 a tenant that is not there is asked for once a minute`() async {
        for _ in 0..<100 { #expect(await start(invented(0)) != nil) }
        #expect(requests == 1)
        time.advance(.seconds(59))
        #expect(await start(invented(0)) != nil)
        #expect(requests == 1)
        time.advance(.seconds(1))
        #expect(await start(invented(0)) != nil)
        #expect(requests == 2)
    }

    @Test func `a tenant that came to be is found after a minute`() async {
        let document = microsoft.documentURL(FakeMicrosoft.contoso)
        microsoft.upstream.answer(document, text: "", status: 400)
        #expect(await start(FakeMicrosoft.contoso) != nil)
        let republished = try? FakeMicrosoft(on: microsoft.upstream)
        #expect(republished != nil)
        #expect(await start(FakeMicrosoft.contoso) != nil)
        time.advance(.seconds(60))
        #expect(await start(FakeMicrosoft.contoso) == nil)
    }

    @Test func `SEC-13 no more than 120 documents a minute are fetched for apps`() async {
        for number in 0..<300 { #expect(await start(invented(number)) != nil) }
        #expect(requests == 120)
        let refused = await start(FakeMicrosoft.contoso)
        #expect(refused?.logDetail.contains("apps name more tenants than 120 a minute") == true, "\(String(describing: refused))")
        time.advance(.seconds(60))
        #expect(await start(FakeMicrosoft.contoso) == nil)
    }

    @Test func `SEC-13 a tenant that was refused for others is asked for as soon as there is room`() async {
        for number in 0..<120 { #expect(await start(invented(number)) != nil) }
        time.advance(.seconds(59))
        #expect(await start(FakeMicrosoft.contoso) != nil)
        time.advance(.seconds(1))
        #expect(await start(FakeMicrosoft.contoso) == nil)
    }

    @Test func `SEC-13 invented tenants push neither the configured document out nor a tenant that is there`() async {
        #expect(await start(nil) == nil)
        #expect(await start(FakeMicrosoft.contoso) == nil)
        for minute in 0..<6 {
            for number in 0..<100 { #expect(await start(invented(minute * 100 + number)) != nil) }
            time.advance(.seconds(60))
        }
        let before = requests
        #expect(await start(nil) == nil)
        #expect(await start(FakeMicrosoft.contoso) == nil)
        #expect(requests == before, "both are at hand")
    }

    @Test func `a tenant that the configuration names does not count`() async {
        for number in 0..<300 { #expect(await start(invented(number)) != nil) }
        #expect(await start("common") == nil)
        #expect(await start(nil) == nil)
    }
}
