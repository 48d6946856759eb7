import Testing
import Text

@testable import ProjectSettings

/// What `openIDProvider` of a project's file says besides its clients' own entries.
@Suite struct ReadingOpenIDProviderTests {
    private static let clients = "clients: [{id: app, kind: native, redirectURIs: [\"com.example.app:/callback\"]}]"

    @Test func `has clients and nothing else where the file says nothing`() throws {
        let read = try ReadOpenIDProvider(Self.clients)
        #expect(read.faults == [] && read.notes == [])
        #expect(read.provider.clients.map(\.id) == ["app"])
        #expect(read.provider.userFlows.isEmpty && read.provider.directoryID == nil && read.provider.directoryNames.isEmpty)
        #expect(read.provider.sessionLifetime == .seconds(86400))
    }

    @Test func `reads every key`() throws {
        let read = try ReadOpenIDProvider(
            """
            sessionLifetime: 8h
            tenant: {id: 775527FF-9a37-4307-8b3d-cc311f58d925, names: [Contoso.onmicrosoft.com]}
            userFlows:
              - {name: b2c_1_susi, kind: signUpOrSignIn}
              - name: b2c_1_edit
                kind: profileEdit
                providers: [password, microsoft.com]
                collect: [displayName, surname]
                claims: [displayName, objectId, emails, identityProvider, isNewUser, givenName, surname]
                issuer: tfp
            """ + "\n" + Self.clients)
        #expect(read.faults == [])
        #expect(read.provider.sessionLifetime == .seconds(8 * 3600))
        #expect(read.provider.directoryID == "775527FF-9a37-4307-8b3d-cc311f58d925")
        #expect(read.provider.directoryNames == ["Contoso.onmicrosoft.com"])
        let flows = read.provider.userFlows
        #expect(flows.map(\.name) == ["b2c_1_susi", "b2c_1_edit"] && flows.map(\.kind) == [.signUpOrSignIn, .profileEdit])
        #expect(flows[0].providers == nil && flows[0].collect == [] && flows[0].claims == [.objectId] && flows[0].issuer == .policy)
        #expect(flows[1].providers == ["password", "microsoft.com"] && flows[1].collect == [.displayName, .surname])
        #expect(flows[1].claims == [.displayName, .objectId, .emails, .identityProvider, .isNewUser, .givenName, .surname])
        #expect(flows[1].issuer == .tfp)
    }

    @Test func `finds clients by their bytes`() throws {
        let provider = try ReadOpenIDProvider(Self.clients).provider
        #expect(provider.client(id: "app")?.id == "app")
        #expect(provider.client(id: "App") == nil && provider.client(id: "") == nil)
    }

    @Test(
        arguments: [
            ("sessionLifetime: 1d", "clients: is empty, so no app can ask"), ("clients: []", "clients: is empty"),
            ("scopes: []", "scopes: unknown key"),
            ("sessionLifetime: 366d", "sessionLifetime: expected a time from 5m to 365d"),
            ("tenant: {id: contoso}", "tenant.id: expected a GUID"),
            ("tenant: {id: 775527ff9a3743078b3dcc311f58d925}", "tenant.id: expected a GUID"),
            ("tenant: {names: [contoso]}", "tenant.names[0]: expected a name with a dot"),
            ("tenant: {names: [\"contoso.example:443\"]}", "tenant.names[0]: expected a name with a dot"),
            ("tenant: {names: [contoso/x.y]}", "tenant.names[0]: expected a name with a dot"),
            ("tenant: {names: [127.0.0.1]}", "tenant.names[0]: expected a name with a dot"),
            ("tenant: {names: [SecureToken.googleapis.com]}", "tenant.names: SecureToken.googleapis.com is reserved"),
            ("userFlows: [{kind: signIn}]", "userFlows[0].name: is missing"),
            ("userFlows: [{name: b2c_1_a}]", "userFlows[0].kind: is missing"),
            ("userFlows: [{name: b2c_1_, kind: signIn}]", "userFlows[0].name: expected b2c_1_ and lower-case letters"),
            ("userFlows: [{name: B2C_1_a, kind: signIn}]", "userFlows[0].name: expected b2c_1_ and lower-case letters"),
            ("userFlows: [{name: susi, kind: signIn}]", "userFlows[0].name: expected b2c_1_ and lower-case letters"),
            (
                "userFlows: [{name: b2c_1_\(String(repeating: "a", count: 59)), kind: signIn}]",
                "userFlows[0].name: expected b2c_1_ and lower-case letters"
            ),
            (
                "userFlows: [{name: b2c_1_a, kind: signIn}, {name: b2c_1_a, kind: signUp}]",
                "userFlows[1].name: is the name of another flow"
            ),
            (
                "userFlows: [{name: b2c_1_a, kind: signIn, providers: []}]",
                "userFlows[0].providers: is empty, so no person can sign in"
            ),
            ("userFlows: [{name: b2c_1_a, kind: profileEdit}]", "userFlows[0].collect: is empty"),
            ("userFlows: [{name: b2c_1_a, kind: signIn, collect: [city]}]", "userFlows[0].collect[0]: expected one of displayName"),
            ("userFlows: [{name: b2c_1_a, kind: signIn, claims: [oid]}]", "userFlows[0].claims[0]: expected one of displayName"),
            (
                "userFlows: [{name: b2c_1_a, kind: signIn, issuer: tfp}]",
                "userFlows[0].issuer: is tfp, which contains the tenant's id"
            ),
        ] as [(String, String)])
    func `says what is wrong, once`(yaml: String, message: String) throws {
        let isOfClients = message.hasPrefix("clients: ")
        let faults = try ReadOpenIDProvider(isOfClients ? yaml : "\(yaml)\n\(Self.clients)").faults
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix(message) == true, "\(faults)")
    }

    @Test func `no two clients have an id or a scheme in common`() throws {
        func faults(_ clients: String...) throws -> [String] {
            try ReadOpenIDProvider("clients: [\(clients.joined(separator: ", "))]").faults
        }
        let ours = "{id: a, kind: native, redirectURIs: [\"com.example.a:/x\", \"com.example.a:/y\", \"https://a.example.com/\"]}"
        #expect(try faults(ours, "{id: b, kind: native, redirectURIs: [\"com.example.b:/x\", \"https://a.example.com/\"]}") == [])
        let same = try faults(ours, "{id: a, kind: native, redirectURIs: [\"com.example.b:/x\"]}")
        #expect(same == ["clients[1].id: is the id of another client already; each client needs its own"])
        let shared = try faults(ours, "{id: b, kind: native, redirectURIs: [\"COM.Example.a://host/\"]}")
        #expect(shared.count == 1 && shared[0].hasPrefix("clients[1].redirectURIs: has the scheme com.example.a"), "\(shared)")
        let out = "{id: b, kind: native, redirectURIs: [\"com.example.b:/x\"], postLogoutRedirectURIs: [\"com.example.a:/out\"]}"
        let sharedOut = try faults(ours, out)
        #expect(sharedOut.count == 1 && sharedOut[0].hasPrefix("clients[1].postLogoutRedirectURIs: has the scheme"), "\(sharedOut)")
    }

    @Test func `notes an issuer that fits no discovery document`() throws {
        let tenant = "tenant: {id: 775527ff-9a37-4307-8b3d-cc311f58d925}\n"
        let read = try ReadOpenIDProvider(tenant + "userFlows: [{name: b2c_1_a, kind: signIn, issuer: default}]\n" + Self.clients)
        #expect(read.faults == [])
        #expect(read.notes.first?.hasPrefix("userFlows[0].issuer: is default, which names no flow") == true)
    }

    @Test(arguments: ["admin", "common", "emulator", "static"])
    func `reserves names for other addresses of the server`(name: String) {
        #expect(ReservedNames.contains(name) && ReservedNames.contains(name.uppercased()) && !ReservedNames.contains(name + "s-own"))
    }
}
