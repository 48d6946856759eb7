import Accounts
import Brokerage
import Crypto
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// `accounts:createAuthUri`: with `providerId`, starts a sign-in that the client itself will finish; with `identifier`, tells how an
/// address signs in, unless addresses are protected from enumeration.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/createAuthUri>
struct CreateAuthURI: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:createAuthUri", v3: "createAuthUri")

    struct Input: Decodable {
        var identifier: UTF8Text?
        var providerId: UTF8Text?
        var continueUri: UTF8Text?
        var sessionId: UTF8Text?
        var customParameter: JSON?
        var oauthScope: UTF8Text?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#CreateAuthUriResponse"
        var authUri: String?
        var providerId: String?
        var sessionId: String
        var registered: Bool?
        var allProviders: [String]?
        var signinMethods: [String]?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let sessionID = input.sessionId.flatMap { $0.isEmpty ? nil : $0.asString } ?? Random.token(20)
        if let providerID = input.providerId?.asciiLowercased, !providerID.isEmpty {
            return try await start(providerID, input, sessionID: sessionID, context)
        }
        guard let identifier = input.identifier, !identifier.isEmpty else { throw Failure.missingIdentifier }
        guard let continueURI = input.continueUri, !continueURI.isEmpty else { throw Failure.missingContinueURI }
        guard let email = EmailAddress.canonical(identifier.asString) else { throw Failure.invalidIdentifier }
        guard URI.ofPage(continueURI) != nil else { throw Failure.invalidContinueURI }
        let project = try context.project.settings
        guard !project.emailEnumerationProtection else { return Output(sessionId: sessionID) }
        let (account, isRegistered) = try await context.services.accounts.directory.identify(email, in: project, from: context.clientInfo)
        let providers = project.signIn.oneAccountPerEmail ? account?.identities.map(\.providerID) ?? [] : []
        let methods =
            (account?.hasPassword == true ? ["password"] : []) + (account?.emailLinkSignIn == true ? ["emailLink"] : []) + providers
        return Output(
            sessionId: sessionID, registered: isRegistered,
            allProviders: (account?.hasEmailSignIn == true ? ["password"] : []) + providers,
            signinMethods: methods)
    }

    private func start(_ providerID: UTF8Text, _ input: Input, sessionID: String, _ context: Context) async throws -> Output {
        let redirectURI = try redirectURI(input.continueUri, providerID, context)
        let broker = try context.broker
        let provider = try broker.provider(providerID)
        try await broker.charge(.startSignIn, from: context.clientInfo)
        let start = SignInStart(
            providerID: provider.id, kind: .client, sessionHash: SessionBinding.hash(atStart: sessionID), redirectURI: redirectURI,
            customParameters: try parameters(input.customParameter))
        let begun = try await broker.begin(start, at: provider, scopes: try scopes(input.oauthScope, providerID))
        return Output(authUri: begun.url, providerId: provider.id, sessionId: sessionID)
    }

    private func redirectURI(_ text: UTF8Text?, _ providerID: UTF8Text, _ context: Context) throws -> String {
        guard let text, !text.isEmpty else { throw Failure.missingContinueURI }
        let project = try context.project
        do throws(RedirectURIFault) {
            return try project.redirectURI(text, of: providerID, handlers: [project.handlerURL()])
        } catch {
            switch error {
            case .malformed: throw Failure.invalidContinueURI
            case .unauthorized(let host): throw Failure.unauthorizedDomain("\(host) is not an authorized domain of this project.")
            }
        }
    }

    /// Reads an object of names and texts, and nothing else.
    private func parameters(_ json: JSON?) throws -> [UTF8Text: UTF8Text] {
        guard let json, !json.isNull else { return [:] }
        guard let object = json.object else { throw Failure.invalidJSON("customParameter: expected an object.") }
        return try Dictionary(
            uniqueKeysWithValues: object.map { member in
                guard let value = member.value.string else { throw Failure.invalidJSON("customParameter: expected a string.") }
                return (member.name, value)
            })
    }

    /// Separated by spaces, or in the form of the handler page: `{"google.com": "a,b"}`.
    private func scopes(_ text: UTF8Text?, _ providerID: UTF8Text) throws -> [UTF8Text] {
        guard let text, !text.isEmpty else { return [] }
        guard text.hasPrefix("{") else { return text.split { $0 == UInt8(ascii: " ") } }
        guard let object = try? JSON.parse(Array(text.utf8)) else { throw Failure.invalidArgument("oauthScope is not a JSON object.") }
        return (object[providerID]?.string ?? "").split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
    }
}
