import Accounts
package import Curl
import HTTP
package import Runtime
import Web

/// Asks the server of this machine whether it knows the first master key, before anything is sealed with that key.
package enum KnownMasterKey {
    /// The address of a server of this installation that knows a former master key and not the first one; `nil` where there is none.
    ///
    /// Such a server could not read what is sealed with the first key: it could not even load its signing keys again.
    package static func stranger(_ settings: ServerSettings, _ client: HTTPClient, _ clock: Clock) async -> ListenAddress? {
        let proofs = OperatorProofs(masterKey: settings.masterKey, clock: clock)
        let address = settings.listen.dialled
        guard await !answers(proofs.make(), at: address, client) else { return nil }
        for proof in proofs.makeWithOthers() where await answers(proof, at: address, client) { return address }
        return nil
    }

    private static func answers(_ proof: String, at address: ListenAddress, _ client: HTTPClient) async -> Bool {
        var request = OutboundRequest(.get, "http://\(address)\(Operations.proxyCheckPath)")
        request.headers.add(OperatorProofs.header, proof)
        return (try? await client.send(request))?.status == 200
    }
}
