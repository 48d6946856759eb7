import HTTP
import JSON
import ProjectSettings
import Text
import Web
import Webhooks

/// The hooks of a project in the words of Identity Platform's API. Test suites set them in development mode, as in the Auth emulator; hooks that
/// are set so have no secrets.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/Config#BlockingFunctionsConfig>
struct BlockingFunctions: Codable, Sendable {
    var triggers: Triggers?
    var forwardInboundCredentials: Forwarding?

    struct Triggers: Codable, Sendable {
        var beforeCreate: Trigger?
        var beforeSignIn: Trigger?
        var beforeSendEmail: Trigger?
        var beforeSendSms: Trigger?
    }
    struct Trigger: Codable, Sendable { var functionUri: UTF8Text? }
    struct Forwarding: Codable, Sendable {
        var idToken: Bool?
        var accessToken: Bool?
        var refreshToken: Bool?
    }
}

extension BlockingFunctions {
    /// `nil` for a project without hooks.
    init?(of project: ProjectSettings) {
        guard !project.hooks.isEmpty else { return nil }
        func trigger(_ event: HookEvent) -> Trigger? { project.hooks[event].map { Trigger(functionUri: UTF8Text($0.webhook.url)) } }
        triggers = Triggers(
            beforeCreate: trigger(.beforeCreate), beforeSignIn: trigger(.beforeSignIn), beforeSendEmail: trigger(.beforeSendEmail),
            beforeSendSms: trigger(.beforeSendSms))
        let forwarded = project.hooks.values.reduce(into: Set()) { $0.formUnion($1.forwarded) }
        forwardInboundCredentials = Forwarding(
            idToken: forwarded.contains(.idToken), accessToken: forwarded.contains(.accessToken),
            refreshToken: forwarded.contains(.refreshToken))
    }

    /// The hooks, which take the place of all that the project has; without triggers, those of the project with what is forwarded to them. Throws
    /// `INVALID_BLOCKING_FUNCTION` in the words of the Auth emulator.
    func hooks(over former: [HookEvent: BlockingHook]) throws(Failure) -> [HookEvent: BlockingHook] {
        guard let triggers else {
            guard forwardInboundCredentials != nil else { return former }
            return Dictionary(
                uniqueKeysWithValues: former.map { event, hook in
                    var hook = hook
                    if event.isOfSignIn { hook.forwarded = forwarded }
                    return (event, hook)
                })
        }
        let given: [(HookEvent, Trigger?)] = [
            (.beforeCreate, triggers.beforeCreate), (.beforeSignIn, triggers.beforeSignIn), (.beforeSendEmail, triggers.beforeSendEmail),
            (.beforeSendSms, triggers.beforeSendSms),
        ]
        var hooks: [HookEvent: BlockingHook] = [:]
        for (event, trigger) in given {
            guard let trigger else { continue }
            guard let text = trigger.functionUri?.asString, let uri = URI.parse(text), uri.fragment == nil, uri.isTrustworthy else {
                throw .invalidBlockingFunction("Expected an absolute URI with valid scheme and host.")
            }
            var hook = BlockingHook(Webhook(url: text, secrets: []))
            if event.isOfSignIn { hook.forwarded = forwarded }
            hooks[event] = hook
        }
        return hooks
    }

    private var forwarded: Set<BlockingHook.ForwardedToken> {
        let given: [(BlockingHook.ForwardedToken, Bool?)] = [
            (.idToken, forwardInboundCredentials?.idToken), (.accessToken, forwardInboundCredentials?.accessToken),
            (.refreshToken, forwardInboundCredentials?.refreshToken),
        ]
        return Set(given.filter { $0.1 == true }.map(\.0))
    }

    /// Throws for a trigger that is not one of an event.
    static func checkNames(in body: JSON.Object) throws(Failure) {
        for trigger in body["blockingFunctions"]?["triggers"]?.object ?? [:] where HookEvent(exactly: trigger.name) == nil {
            throw .invalidBlockingFunction("Event type is invalid.")
        }
    }
}
