import Testing

@testable import Projects

@Suite struct UserFlowChecksTests {
    private static let providers = """
        providers:
          oidc.fake: {issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}}
          oidc.off: {issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}, enabled: false}

        """

    /// A project that is an OpenID provider with one user flow.
    private func read(_ flow: String, _ more: String = "") throws -> ReadProject {
        try ReadProject(
            """
            \(Self.providers)\(more)openIDProvider:
              clients: [{id: app, kind: native, redirectURIs: ["com.example.app:/cb"]}]
              userFlows: [{name: b2c_1_a, \(flow)}]

            """)
    }

    @Test(
        arguments: [
            "kind: signIn", "kind: signIn, providers: [oidc.fake]",
            "kind: signUpOrSignIn, providers: [oidc.fake, password, emailLink]", "kind: passwordReset", "kind: signUp",
        ])
    func `takes what the project has`(_ flow: String) throws {
        let read = try read(flow, "signIn: {password: true, emailLink: true}\n")
        #expect(read.faults == [] && read.notes == [])
    }

    @Test(
        arguments: [
            (
                "kind: signIn, providers: [oidc.fake, oidc.other]", "",
                "providers: oidc.other is neither password, emailLink, passkey nor the id of"
            ),
            ("kind: signIn, providers: [oidc.off]", "", "providers: oidc.off is switched off (enabled: false); the project has oidc.fake"),
            ("kind: signIn, providers: [password]", "", "providers: password is switched off: signIn.password is not true"),
            (
                "kind: signIn, providers: [emailLink]", "signIn: {password: true}\n",
                "providers: emailLink is switched off: signIn.emailLink is not true; the project has password, oidc.fake"
            ),
            ("kind: passwordReset", "", "kind: is passwordReset, but the project has no passwords"),
            ("kind: signUp", "signIn: {signUp: false}\n", "kind: is signUp, but signIn.signUp is false"),
        ])
    func `says at its place which way to sign in the project does not have`(_ flow: String, _ more: String, _ fault: String) throws {
        let faults = try read(flow, more).faults
        #expect(faults.count == 1)
        #expect(faults.first?.contains("openIDProvider.userFlows[0].\(fault)") == true, "\(faults)")
    }

    @Test func `notes a provider whose pages could offer nothing`() throws {
        let clients = "openIDProvider: {clients: [{id: app, kind: native, redirectURIs: [\"com.example.app:/cb\"]}]}\n"
        let none = try ReadProject(clients)
        #expect(none.faults == [] && none.notes.count == 1)
        #expect(none.notes.first?.contains("openIDProvider: has no way to sign in that its pages could offer") == true)
        #expect(try ReadProject(clients + "signIn: {emailLink: true}\n").notes == [])
        #expect(try ReadProject().notes == [])
    }
}
