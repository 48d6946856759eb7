package import Accounts
import Web

/// The reasons why the server did not start, in words for the operator.
package enum StartFailure: Error {
    case issuers([ProviderIssuers.Entry])
    case sites([PasskeySites.Entry])
    case listening(String, key: String, String)
    /// The service manager handed over sockets that do not fit.
    case sockets(String)

    package static func text(_ error: any Error) -> String {
        switch error {
        case StartFailure.issuers(let pinned): pinned.map(PinnedIssuers.sentence).joined(separator: "\n")
        case StartFailure.sites(let stored): stored.map(FrozenSites.sentence).joined(separator: "\n")
        case StartFailure.listening(let address, let key, let reason): "cannot listen on \(address) (\(key)): \(reason)"
        case StartFailure.sockets(let reason): "cannot use the sockets of the service manager: \(reason)"
        case AccountError.sealBroken: "\(LogDetail.of(error)); \(MasterKeyFindings.remedy)"
        default: databaseReason(error).map { "\(LogDetail.of(error)); \(Remedies.database($0))" } ?? LogDetail.of(error)
        }
    }
}
