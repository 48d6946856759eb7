package import Providers
package import Text

/// A sign-in without a flow: an app signed the person in with the provider by itself, and posts what the provider gave it.
extension BrokeredProject {
    /// Checks the credential. No round trip to the database.
    package func verify(_ credential: Credential, of id: UTF8Text) async throws(BrokerageError) -> ProvenSignIn {
        let provider = try provider(id)
        do {
            return ProvenSignIn(result: try await configured(provider).verify(credential))
        } catch {
            var error = BrokerageError(error)
            if development != nil, providers[id] != nil, MadeUpClaims.are(in: credential) {
                error = error.adding("\(provider.id) has an entry in the project's file, so only its own tokens count.")
            }
            count(provider.id, endedBy: error)
            throw at(provider.id, error)
        }
    }
}
