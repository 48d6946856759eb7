package import Accounts
package import Brokerage
package import HTTP
package import Logging
package import Migration
import ProjectSettings
package import Projects
import Providers
package import Runtime
import Text

/// The context in which an endpoint works: who calls which project, and the parts of the loop that the call runs on.
package struct Context: Sendable {
    package let services: Services
    package let request: Request
    /// The values of the braces in the route's path.
    package let parameters: PathParameters
    let access: Route.Access
    /// The projects as they were when the request arrived. A reload does not change them while the request is answered, so that the pages that
    /// may read the answer are those whose client was asked for.
    package let projects: Projects
    private let keyed: Project?

    init(services: Services, request: Request, parameters: PathParameters, access: Route.Access, project: Project?) {
        self.services = services
        self.access = access
        self.request = request
        self.parameters = parameters
        projects = services.projects.current
        keyed = project.map { Self.seen($0, by: request, services.projects) }
    }

    /// The project as this caller may use it. Tokens without a signature are for programs of this machine alone; for every other caller, the
    /// project signs its tokens and believes only signed ones (SEC-22).
    private static func seen(_ project: Project, by request: Request, _ projects: ProjectDirectory) -> Project {
        guard project.settings.tokens.unsigned, !Access.isLocal(request, projects.current) else { return project }
        return project.signingTokens
    }

    /// Whether the caller's API key names the project.
    var isKeyed: Bool { if case .apiKey = access { true } else { false } }

    /// Whether an administrator calls, or a test suite that plays one.
    var isAdministrators: Bool {
        switch access {
        case .administrator, .development: true
        case .apiKey, .anyone, .relyingParty: false
        }
    }

    /// The project whose API key the caller sent, or the tenant of it that the call names.
    package var project: Project {
        get throws {
            guard let keyed else { throw Failure.missingAPIKey }
            return keyed
        }
    }

    /// The same call, for `project`.
    package func with(_ project: Project) -> Context {
        Context(services: services, request: request, parameters: parameters, access: access, project: project)
    }

    /// The project that the path names, or the tenant as `project~tenant`, for endpoints that need no API key.
    package var namedRealm: Project? { parameters["project"].flatMap(projects.realm(addressName:)) }

    /// The outbox for mails. Throws `OPERATION_NOT_ALLOWED` on a server that cannot send mail.
    package var outbox: Outbox {
        get throws {
            guard let outbox = services.accounts.outbox else {
                throw Failure.operationNotAllowed("This server is not configured to send mail.")
            }
            return outbox
        }
    }

    /// The user agent and address that limits count and a new session keeps. The address is that of the connection, or the one that a trusted
    /// proxy reports (`ClientAddress`, SEC-08); limits count an IPv6 client by its /64.
    package var clientInfo: Session.ClientInfo { clientInfo(of: .app) }

    /// The same for a person who signs in at a page of this server.
    package var browserClientInfo: Session.ClientInfo { clientInfo(of: .browser) }

    private func clientInfo(of kind: Session.Kind) -> Session.ClientInfo {
        Session.ClientInfo(
            userAgent: request.headers["user-agent"], address: request.peer.description, limitKey: request.peer.limitKey.description,
            kind: kind, requestID: "\(request.id)", hooks: hookAttempt)
    }

    /// `nil` where no hook can be asked, so that other projects' calls do without it.
    private var hookAttempt: HookAttempt? {
        if let keyed, keyed.settings.hooks.isEmpty { return nil }
        return HookAttempt(languages: request.headers["x-firebase-locale"] ?? request.headers["accept-language"])
    }

    package var log: Logger {
        var log = services.log
        log[metadataKey: "id"] = "\(request.id)"
        return log
    }
}

/// The parts of one loop, made once at start. A class, so that a request takes one reference and not a copy of each part.
package final class Services: Sendable {
    package let accounts: Accounts
    package let brokerage: Brokerage
    package let firebaseBridge: FirebaseBridge
    package let captcha: CaptchaCheck
    package let projects: ProjectDirectory
    package let tenants: TenantDirectory
    package let site: Site
    package let metrics: Metrics
    package let clock: Clock
    package let log: Logger
    /// Throws the reason when requests cannot be served.
    package let readiness: @Sendable () async throws -> Void
    /// The description of every call, in OpenAPI.
    package let description: @Sendable () throws -> [UInt8]

    package init(
        accounts: Accounts, brokerage: Brokerage, firebaseBridge: FirebaseBridge, captcha: CaptchaCheck, projects: ProjectDirectory,
        tenants: TenantDirectory,
        site: Site, metrics: Metrics, clock: Clock, log: Logger,
        readiness: @escaping @Sendable () async throws -> Void, description: @escaping @Sendable () throws -> [UInt8]
    ) {
        self.accounts = accounts
        self.brokerage = brokerage
        self.firebaseBridge = firebaseBridge
        self.captcha = captcha
        self.projects = projects
        self.tenants = tenants
        self.site = site
        self.metrics = metrics
        self.clock = clock
        self.log = log
        self.readiness = readiness
        self.description = description
    }
}

extension Context {
    /// The caller's project, for sign-ins at its providers.
    package var broker: BrokeredProject {
        get throws { broker(of: try project, developmentProviders) }
    }

    /// The same for pages, which do not name the project by an API key in the usual place.
    package func broker(of project: Project) -> BrokeredProject { broker(of: project, developmentProviders(of: project)) }

    private func broker(of project: Project, _ development: DevelopmentProviders?) -> BrokeredProject {
        services.brokerage.project(
            project.settings, providers: project.providers, named: project.namedProviders, development: development,
            from: clientInfo, log: log)
    }
}
