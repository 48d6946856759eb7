import HTTP
import ProjectSettings
import Projects
import Testing
import Text
import Web

@testable import OpenIDProvider

@Suite struct IssuerAddressTests {
    private func address(_ target: String) throws -> IssuerAddress {
        let (path, query) = try #require(CanonicalPath.parse(target))
        return try IssuerAddress(path: path, query: query, in: Fixture.projects)
    }

    private func failure(_ target: String) throws -> Failure? {
        do {
            _ = try address(target)
            return nil
        } catch { return try #require(error as? Failure) }
    }

    @Test(arguments: [
        "/acme/oauth2/authorize", "/acme/oauth2/token?p=b2c_1_susi", "/acme/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/acme",
    ])
    func `the shape of the project itself has no user flow`(target: String) throws {
        let address = try address(target)
        #expect(address.userFlow == nil)
        #expect(address.urls.issuer == "https://auth.example.com/acme")
        #expect(address.urls.authorization == "https://auth.example.com/acme/oauth2/authorize")
        #expect(address.urls.keys == "https://auth.example.com/acme/oauth2/jwks")
    }

    @Test(arguments: [
        "/acme/b2c_1_susi/oauth2/v2.0/authorize", "/ACME/B2C_1_SUSI/oauth2/v2.0/token",
        "/contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/logout",
        "/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_SUSI/discovery/v2.0/keys",
        "/te/Contoso.onmicrosoft.com/b2c_1_susi/oauth2/v2.0/authorize",
        "/tfp/acme/b2c_1_susi/v2.0/.well-known/openid-configuration", "/TFP/acme/b2c_1_susi/v2.0//.well-known/openid-configuration",
        "/acme/v2.0/.well-known/openid-configuration?p=B2C_1_susi", "/acme/oauth2/v2.0/authorize?x=1&p=b2c_1_susi",
        "/acme/b2c_1_susi/oauth2/v2.0/authorize?p=b2c_1_SUSI", "/te/acme/oauth2/v2.0/token?p=b2c_1_susi",
        "/acme/b2c_1_susi/openid/v2.0/userinfo", "/acme/b2c_1_susi/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/acme/b2c_1_susi/v2.0",
    ])
    func `every spelling of a user flow's address means the same issuer`(target: String) throws {
        let address = try address(target)
        #expect(address.userFlow?.name == "b2c_1_susi")
        #expect(address.urls.issuer == "https://auth.example.com/acme/b2c_1_susi/v2.0")
        #expect(address.urls.token == "https://auth.example.com/acme/b2c_1_susi/oauth2/v2.0/token")
        #expect(address.urls.endSessionPath == "/acme/b2c_1_susi/oauth2/v2.0/logout")
    }

    @Test func `issuers have the style of their user flow`() throws {
        #expect(
            try address("/acme/b2c_1_tfp/oauth2/v2.0/token").urls.issuer
                == "https://auth.example.com/tfp/\(Fixture.directory)/b2c_1_tfp/v2.0/"
        )
        #expect(try address("/acme/b2c_1_default/oauth2/v2.0/token").urls.issuer == "https://auth.example.com/\(Fixture.directory)/v2.0/")
    }

    @Test(arguments: [
        "/nobody/oauth2/authorize", "/plain/oauth2/authorize", "/Acme/oauth2/authorize", "/contoso.onmicrosoft.com/oauth2/authorize",
        "/acme/b2c_1_other/oauth2/v2.0/token", "/acme/oauth2/v2.0/token", "/acme/oauth2/v2.0/token?p=",
        "/acme/b2c_1_susi2/oauth2/v2.0/token", "/acme/oauth2/v2.0/token?p=b2c_1_su%C5%BFi", "/te/nobody/b2c_1_susi/oauth2/v2.0/token",
        "/plain/b2c_1_susi/oauth2/v2.0/token", "/te", "/",
    ])
    func `nothing is at the address of no provider and of no user flow`(target: String) throws { #expect(try failure(target) == .notFound) }

    @Test(arguments: [
        "/acme/anything/oauth2/v2.0/token?p=b2c_1_susi", "/acme/b2c_1_susi/oauth2/v2.0/token?p=b2c_1_tfp",
        "/acme/oauth2/v2.0/token?p=b2c_1_susi&p=b2c_1_susi",
    ])
    func `an address that names two user flows is refused`(target: String) throws {
        let failure = try #require(try failure(target))
        #expect(failure != .notFound)
    }
}
