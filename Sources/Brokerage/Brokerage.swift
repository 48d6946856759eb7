/// A sign-in at a provider as a whole: begin it, take the provider's answer, redeem the result.
///
/// This target joins the two halves below it, which do not know each other: `Providers` speaks with the provider, `Accounts` keeps the flow
/// and decides whose account the person opens. Each step is one function, checks what it must, and returns its result. It never calls the
/// step that follows, and it never calls back up: the feature that asked makes a page, a redirect or JSON of the result, and asks for the
/// next step when the next request comes.
///
/// | Step | Function | File |
/// |---|---|---|
/// | before begin and redeem | `BrokeredProject.charge` | `BrokeredProject.swift` |
/// | begin | `BrokeredProject.begin` | `BeginSignIn.swift` |
/// | return | `Brokerage.flow(waitingFor:)`, `BrokeredProject.receive`, `record` | `ReturnFromProvider.swift` |
/// | redeem | `BrokeredProject.redeem` | `RedeemSignIn.swift` |
/// | instead: a credential that an app posts | `BrokeredProject.verify` | `CredentialSignIn.swift` |
/// | instead: an answer that was kept | `BrokeredProject.redeem(pendingToken:)` | `PendingCredential.swift` |
/// | instead: a person whom a developer makes up | `BrokeredProject.pinMadeUp` | `MadeUpSignIn.swift` |
/// | sign in | `BrokeredProject.signIn` | `ProvenSignIn.swift` |
/// | later: the provider's tokens for a back end | `ProviderAccess.tokens` | `ProviderTokens/ProviderAccess.swift` |
/// | beside sign-ins | `BrokeredProject.photo`, `revoke` | `BrokeredProject.swift` |
///
/// All these steps but the charge throw `BrokerageError`, so they have one policy for errors. Pages, JSON and cookies are for the features
/// above.
package import Accounts
package import Curl
package import Logging
package import ProjectSettings
package import Providers
package import Runtime
package import Text

/// The parts of one loop that brokering needs. A class, so that a request takes one reference and not a copy of each part.
package final class Brokerage: Sendable {
    let accounts: Accounts
    let upstream: any Upstream
    let metadata: MetadataCache
    let requests: ProviderRequests
    let clock: Clock

    package init(
        accounts: Accounts, upstream: any Upstream, metadata: MetadataCache, metrics: Metrics, clock: Clock
    ) {
        self.accounts = accounts
        self.upstream = upstream
        self.metadata = metadata
        requests = ProviderRequests(metrics)
        self.clock = clock
    }

    /// The sign-ins of one project, for one request.
    ///
    /// - Parameters:
    ///   - providers: those that are switched on, by their ids.
    ///   - named: the ids of all that the project's file names.
    ///   - development: the providers whose people this request may make up; `nil` in production.
    package func project(
        _ settings: ProjectSettings, providers: [UTF8Text: ProviderSettings], named: Set<UTF8Text>,
        development: DevelopmentProviders? = nil, from client: Session.ClientInfo, log: Logger
    ) -> BrokeredProject {
        BrokeredProject(
            brokerage: self, settings: settings, providers: providers, named: named, development: development, client: client,
            log: log)
    }
}
