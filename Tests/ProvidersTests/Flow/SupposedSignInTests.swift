import Identity
import JSON
import Testing

@testable import Providers
import Text

/// Identities that a provider's rules make of a file.
@Suite struct SupposedSignInTests {
    private func identity(
        _ id: String, _ keys: String, _ file: JSON
    ) async throws -> Result<SupposedSignIn, ProviderError> {
        let (settings, faults) = try read(id, "clientId: client-1\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        let entry = try #require(settings)
        do throws(ProviderError) {
            return .success(try await ConfiguredProvider.signIn(supposing: file, of: entry, clock: fixedClock))
        } catch { return .failure(error) }
    }

    @Test func `reads the claims of an ID token by the rules of its provider, without a request`() async throws {
        let contoso = "aaaaaaaa-0000-4000-8000-00000000000a"
        let claims: JSON = ["tid": .string(contoso), "oid": "0A11CE00-1111-4111-8111-000000000001", "email": "ada@contoso.example"]
        let word = try await identity("microsoft.com", "tenant: common", claims).get()
        #expect(word.identity.subject == "0a11ce00-1111-4111-8111-000000000001" && word.identity.tenant == contoso)
        #expect(word.identity.email == "ada@contoso.example" && !word.identity.emailAuthoritative)
        #expect(word.unanswered == ["/v1.0/me"], "a sign-in by redirect would ask Graph, too")
        let proof = try await identity("microsoft.com", "tenant: \(contoso)\nauthoritativeDomains: [contoso.example]", claims).get()
        #expect(proof.identity.emailAuthoritative)
    }

    @Test func `refuses claims of an issuer that the entry does not admit`() async throws {
        let other = "bbbbbbbb-0000-4000-8000-00000000000b"
        let claims: JSON = [
            "iss": .string("https://login.microsoftonline.com/\(other)/v2.0"), "ver": "2.0", "tid": .string(other),
            "oid": "0a11ce00-1111-4111-8111-000000000001",
        ]
        let refused = try await identity("microsoft.com", "tenant: aaaaaaaa-0000-4000-8000-00000000000a", claims)
        guard case .failure(.invalidResponse) = refused else {
            Issue.record("\(refused)")
            return
        }
        let admitted = try await identity("microsoft.com", "tenant: organizations", claims)
        #expect(try admitted.get().identity.tenant == other)
    }

    @Test func `reads the answers of an API by their paths, below whatever address it has`() async throws {
        let file: JSON = [
            "/user": ["id": 7, "login": "ada", "name": "Ada"],
            "/user/emails": [["email": "ada@example.com", "primary": true, "verified": true]],
        ]
        for keys in ["", "baseURL: https://git.example.com"] {
            let supposed = try await identity("github.com", keys, file).get()
            #expect(supposed.identity.subject == "7" && supposed.identity.screenName == "ada")
            #expect(supposed.identity.email == "ada@example.com" && !supposed.identity.emailVerified && supposed.unanswered == [])
        }
    }

    @Test func `signs the requests of OAuth 1.0a as ever, and sends none`() async throws {
        let file: JSON = ["/1.1/account/verify_credentials.json": ["id_str": "42", "screen_name": "ada"]]
        #expect(try await identity("twitter.com", "", file).get().identity.subject == "42")
    }

    @Test func `tells which answers are missing`() async throws {
        let partly = try await identity("github.com", "", ["/user": ["id": 7]]).get()
        #expect(partly.unanswered == ["/user/emails"] && partly.identity.email == nil)
        guard case .failure(.invalidCredential(let reason)) = try await identity("github.com", "", [:]) else {
            Issue.record("an empty file gave an identity")
            return
        }
        #expect(reason.contains("/user, /user/emails"))
    }

    @Test func `says that a provider without ID tokens has no claims`() async throws {
        guard case .failure(.invalidCredential(let reason)) = try await identity("github.com", "", ["sub": "7"]) else {
            Issue.record("claims gave an identity")
            return
        }
        #expect(reason.contains("github.com has no ID tokens"))
    }

    @Test func `adds to the claims what the file has of an API`() async throws {
        let claims: JSON = [
            "tid": "aaaaaaaa-0000-4000-8000-00000000000a", "oid": "0a11ce00-1111-4111-8111-000000000001",
            "/v1.0/me": ["id": "0a11ce00-1111-4111-8111-000000000001", "displayName": "Ada", "mail": "ada@contoso.example"],
        ]
        let supposed = try await identity("microsoft.com", "tenant: common", claims).get()
        #expect(supposed.identity.displayName == "Ada" && supposed.identity.email == "ada@contoso.example")
        #expect(!supposed.identity.emailVerified)
    }
}
