import Accounts
import HTTP
import JOSE
import JSON
import Migration
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The keys of ID tokens that a back end meets while people of a Firebase project move here: this server's and Google's. As a JWK set, or
/// with `?format=x509` as certificates by key id.
///
/// Only here, and only for that project and time: the paths that look like Google's serve all projects, and with Google's keys there, the
/// owner of any Firebase project could make tokens for a project of the same id here (SEC-52).
struct FirebaseKeys: RawEndpoint {
    static let route = Route(.get, "/{project}/.well-known/firebase-keys", access: .anyone)
    static let errorFormat = ErrorFormat.googleJSON
    static let content = CallContent(query: ["format"], answers: [.json(.map(.anything))])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard let project = context.namedRealm, project.settings.openMigration(at: context.services.clock.now()) != nil else {
            throw Failure.notFound
        }
        let (ours, googles) = (context.services.accounts.idTokens.publishedKeys, context.services.firebaseBridge.tokens)
        switch try Form.reading(request.query)["format"] {
        case nil, "jwks":
            let keys = ours.keys.keys + (try await googles.keys()).keys
            return Response(publicDocument: JSON.object(["keys": .array(keys.map(\.json))]).bytes(), for: request)
        case "x509":
            guard let own = try JSON.parse(ours.certificates).object else { throw Failure.internal }
            return Response(publicDocument: JSON.object((try await googles.certificates()).merging(own)).bytes(), for: request)
        default: throw Failure.invalidArgument("The format is jwks or x509.")
        }
    }
}
