import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

private let contoso = FakeMicrosoft.contoso
private let fabrikam = FakeMicrosoft.fabrikam
private let consumers = FakeMicrosoft.consumers

@Suite struct MicrosoftIdentityTests {
    let microsoft: FakeMicrosoft

    init() throws { microsoft = try FakeMicrosoft() }

    private func identity(
        _ tenant: String, _ claims: JSON.Object = [:], accessToken: String? = nil, by provider: ConfiguredProvider? = nil
    ) async throws -> ProviderIdentity {
        let credential = Credential(idToken: try microsoft.token(tenant, claims), accessToken: accessToken)
        return try await (provider ?? microsoft.provider()).verify(credential).identity
    }

    // MARK: Subject

    @Test func `SEC-03 a person is the object id of a tenant`() async throws {
        let person = try await identity(contoso, ["oid": "DEADBEEF-0000-4000-8000-0123456789AB"])
        #expect(person.subject == "deadbeef-0000-4000-8000-0123456789ab")
        #expect(person.alias == nil)
        #expect(person.tenant == contoso)
        #expect(person.providerID == "microsoft.com")
    }

    @Test func `a person may be stored by the subject that other systems take`() async throws {
        let person = try await identity(contoso, ["oid": "deadbeef-0000-4000-8000-0123456789ab", "sub": "pairwise"])
        #expect(person.names == ["deadbeef-0000-4000-8000-0123456789ab", "sub:pairwise"])
    }

    @Test(
        arguments: [
            ("00000000-0000-0000-4b2e-abcdef012345", "4b2eabcdef012345"), ("00000000-0000-0000-4B2E-ABCDEF012345", "4b2eabcdef012345"),
            // Firebase's own example is not hexadecimal.
            ("00000000-0000-0000-4b2e-abcdefghijkl", "4b2eabcdefghijkl"),
        ])
    func `a private account has 16 digits, and its padded form as alias`(_ oid: String, _ subject: String) async throws {
        for tenant in ["common", "consumers", consumers] {
            let person = try await identity(consumers, ["oid": .string(oid)], by: microsoft.provider(tenant))
            #expect(person.subject == subject)
            #expect(person.alias == oid.lowercased())
        }
    }

    @Test(
        arguments: [
            (contoso, "00000000-0000-0000-4b2e-abcdef012345"), (consumers, "00000000-0000-0001-4b2e-abcdef012345"),
            (consumers, "00000000-0000-0000-4b2e-abcdef01234"), (consumers, "00000000-0000-0000-4b2e-abcdef012345-x"),
            (consumers, "00000000-0000-0000-4b2e-abcdef01234."), (consumers, "00000000-0000-0000-"),
        ])
    func `any other id stays as it is`(_ tenant: String, _ oid: String) async throws {
        let person = try await identity(tenant, ["oid": .string(oid)])
        #expect(person.subject == oid)
        #expect(person.alias == nil)
    }

    @Test(arguments: [.null, "", 1, "a b", "\u{e4}"] as [JSON])
    func `a token without an object id is refused`(_ oid: JSON) async throws {
        let error = await microsoft.provider().refusal(of: try microsoft.token(contoso, ["oid": oid]))
        #expect(error?.reason == "The ID token does not say who signed in.")
    }

    @Test func `a guest is another person in each tenant`() async throws {
        let home = try await identity(contoso, ["oid": "oid-home"])
        let guest = try await identity(fabrikam, ["oid": "oid-guest", "idp": .string(microsoft.issuer(contoso))])
        #expect(home.subject != guest.subject)
        #expect(home.tenant != guest.tenant)
    }

    // MARK: SEC-03

    @Test(arguments: [true, 1, "1", "true"] as [JSON])
    func `SEC-03 an address that its domain's owner vouches for is proven`(_ value: JSON) async throws {
        let person = try await identity(contoso, ["email": "ada@contoso.example", "xms_edov": value])
        #expect(person.emailVerified)
        #expect(person.emailAuthoritative)
    }

    @Test(arguments: [false, 0, "0", "false", "yes", "TRUE", 2, "", [], [true]] as [JSON])
    func `SEC-03 anything else in xms_edov proves nothing, whatever the domain`(_ value: JSON) async throws {
        let provider = microsoft.provider(contoso, domains: ["contoso.example"])
        let person = try await identity(contoso, ["email": "ada@contoso.example", "xms_edov": value], by: provider)
        #expect(person.email == "ada@contoso.example")
        #expect(!person.emailVerified)
        #expect(!person.emailAuthoritative)
    }

    @Test func `SEC-03 nOAuth: a foreign tenant's mail attribute proves nothing`() async throws {
        for provider in [microsoft.provider(), microsoft.provider(domains: ["contoso.example"]), microsoft.provider("organizations")] {
            let attacker = try await identity(
                fabrikam,
                ["email": "victim@contoso.example", "email_verified": true, "verified_primary_email": ["victim@contoso.example"]],
                by: provider)
            #expect(attacker.email == "victim@contoso.example")
            #expect(!attacker.emailVerified)
            #expect(!attacker.emailAuthoritative)
        }
    }

    @Test(arguments: ["common", "organizations"])
    func `SEC-03 the tenant that an app asks for is not one that the operator trusts`(_ tenant: String) async throws {
        let claims: JSON.Object = ["nonce": "nonce-1", "email": "victim@contoso.example"]
        microsoft.upstream.answer(microsoft.tokenURL(fabrikam), ["id_token": .string(try microsoft.token(fabrikam, claims))])
        let provider = microsoft.provider(tenant, domains: ["contoso.example"])
        let attacker = try await provider.redeem(["code": "code-1"], parameters: ["tenant": fabrikam]).identity
        #expect(attacker.email == "victim@contoso.example" && attacker.tenant == fabrikam)
        #expect(!attacker.emailVerified && !attacker.emailAuthoritative)
    }

    @Test func `SEC-03 a listed tenant is believed for the domains listed`() async throws {
        let listed = microsoft.provider("common", { $0.allowedTenants = [contoso] }, domains: ["contoso.example"])
        for provider in [
            listed, microsoft.provider(contoso, domains: ["contoso.example"]),
            microsoft.provider("contoso.onmicrosoft.com", domains: ["contoso.example"]),
        ] {
            #expect(try await identity(contoso, ["email": "ada@contoso.example"], by: provider).emailAuthoritative)
            #expect(try await !identity(contoso, ["email": "ada@other.example"], by: provider).emailVerified)
        }
    }

    @Test func `SEC-03 a guest's address is proven by Microsoft alone`() async throws {
        let provider = microsoft.provider(contoso, domains: ["contoso.example"])
        let email: JSON = "ceo@contoso.example"
        for home in [.string(microsoft.issuer(fabrikam)), "live.com", "mail", ""] as [JSON] {
            #expect(try await !identity(contoso, ["email": email, "idp": home], by: provider).emailVerified)
            #expect(try await identity(contoso, ["email": email, "idp": home, "xms_edov": true], by: provider).emailAuthoritative)
        }
        #expect(try await identity(contoso, ["email": email, "idp": .string(microsoft.issuer(contoso))], by: provider).emailAuthoritative)
    }

    @Test(
        arguments: [
            ("ada@outlook.com", true), ("ada@hotmail.com", true), ("Ada@Outlook.COM", true), ("ada@live.com", false),
            ("ada@outlook.de", false),
            ("ada@gmail.com", false), ("ada@outloo\u{212A}.com", false), ("ada@outlook.com.evil.example", false),
            ("ada@evil@outlook.com", false),
        ])
    func `SEC-03 of private accounts Microsoft's own mailboxes are proven`(_ email: String, _ isProven: Bool) async throws {
        #expect(try await identity(consumers, ["email": .string(email)]).emailVerified == isProven)
        // An administrator of an organisation can write such an address, too.
        #expect(try await !identity(contoso, ["email": .string(email)]).emailVerified)
    }

    @Test func `further mailboxes of Microsoft are the operator's to list`() async throws {
        let provider = microsoft.provider(domains: ["live.com"])
        #expect(try await identity(consumers, ["email": "ada@live.com"], by: provider).emailAuthoritative)
    }

    @Test func `a user name is not an address`() async throws {
        let person = try await identity(
            contoso, ["preferred_username": "victim@contoso.example", "upn": "victim@contoso.example", "xms_edov": true])
        #expect(person.email == nil)
        #expect(!person.emailVerified)
    }

    // MARK: Graph

    @Test func `Graph gives names and the profile, unmodified, and never a photo URL`() async throws {
        let id: JSON = "deadbeef-0000-4000-8000-0123456789ab"
        let me = try microsoft.data.answer("me", ["name": "Ada", "mail": "ada@contoso.example", "user": "ada@contoso.example", "id": id])
        microsoft.upstream.answer(FakeMicrosoft.graph, me)
        let person = try await identity(contoso, accessToken: "graph-1")
        #expect(person.displayName == "Ada Graph")
        #expect(person.firstName == "Ada")
        #expect(person.lastName == "Graph")
        #expect(person.language == "en-GB")
        #expect(person.photoURL == nil)
        #expect(person.screenName == nil)
        #expect(person.rawUserInfo == me.text())
        #expect(person.email == "ada@contoso.example")
        #expect(!person.emailVerified)
        let request = try #require(microsoft.upstream.requests.last)
        #expect(request.url == "https://graph.microsoft.com/v1.0/me")
        #expect(request.headers["authorization"] == "Bearer graph-1")
    }

    @Test func `a private account's 16 digits are the same person at Graph`() async throws {
        microsoft.upstream.answer(FakeMicrosoft.graph, ["id": "4B2EABCDEF012345", "displayName": "Ada of Graph", "mail": .null])
        let person = try await identity(consumers, ["oid": "00000000-0000-0000-4b2e-abcdef012345"], accessToken: "graph-1")
        #expect(person.displayName == "Ada of Graph")
        #expect(person.email == nil)
    }

    @Test func `Graph's answer about another person is discarded`() async throws {
        microsoft.upstream.answer(FakeMicrosoft.graph, ["id": "somebody-else", "displayName": "Eve", "mail": "victim@contoso.example"])
        let person = try await identity(contoso, accessToken: "graph-1")
        #expect(person.displayName == "Ada Lovelace")
        #expect(person.email == nil)
        #expect(try JSON.parse(person.rawUserInfo)["oid"] == "deadbeef-0000-4000-8000-0123456789ab")
    }

    @Test(arguments: [401, 403, 429, 500, 200])
    func `a Graph failure fails nothing`(_ status: Int) async throws {
        microsoft.upstream.answer(FakeMicrosoft.graph, text: #"[{"error":{"code":"x"}}]"#, status: status)
        #expect(try await identity(contoso, accessToken: "graph-1").displayName == "Ada Lovelace")
    }

    @Test func `Graph's silence fails nothing`() async throws {
        microsoft.upstream.fail(FakeMicrosoft.graph, .timedOut)
        #expect(try await identity(contoso, accessToken: "graph-1").displayName == "Ada Lovelace")
    }

    @Test func `Graph is not asked without a token, nor where the entry says no`() async throws {
        _ = try await identity(contoso)
        _ = try await identity(contoso, accessToken: "graph-1", by: microsoft.provider { $0.fetchesProfile = false })
        #expect(microsoft.upstream.count(FakeMicrosoft.graph) == 0)
    }

    // MARK: Photo

    private func photo(_ status: Int, _ type: String, _ body: String = "\u{1}\u{2}") async -> Result<Photo?, ProviderError> {
        microsoft.upstream.answer(FakeMicrosoft.graph + "/photo/$value", text: body, status: status, type: type)
        do throws(ProviderError) { return .success(try await microsoft.provider().photo(accessToken: "graph-1")) } catch {
            return .failure(error)
        }
    }

    @Test func `the photo comes as bytes, on demand`() async throws {
        #expect(await photo(200, "image/jpeg; x=y") == .success(Photo(type: "image/jpeg", bytes: [1, 2])))
        #expect(await photo(404, "application/json") == .success(nil))
        #expect(microsoft.upstream.requests.allSatisfy { $0.headers["authorization"] == "Bearer graph-1" })
    }

    @Test(arguments: [(200, "text/html"), (200, "image/svg+xml"), (200, ""), (302, "image/png"), (500, "image/png"), (401, "image/png")])
    func `an answer that is not a picture is not taken as a photo`(_ status: Int, _ type: String) async {
        guard case .failure = await photo(status, type) else {
            Issue.record("taken as a photo")
            return
        }
    }
}
