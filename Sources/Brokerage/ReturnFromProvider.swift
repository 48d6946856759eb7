package import Accounts
import HTTP
import Logging
import ProjectSettings
import Providers
import Text

/// Return, first half: finds the flow that an answer belongs to. Each function takes one round trip to the database and changes nothing,
/// except that `takeEvent` takes a second round trip when there is an event.
extension Brokerage {
    /// The flow that waits for this answer; `nil` when none does any more.
    package func flow(waitingFor answer: ProviderAnswer) async throws(BrokerageError) -> SignInFlow? {
        let state = try answer.state
        do { return try await accounts.signIn.flows.waiting(state) } catch { throw BrokerageError(error) }
    }

    /// The flow that this browser started and that still waits, for an answer that names none.
    package func flow(_ id: [UInt8], startedWith cookie: String) async throws(BrokerageError) -> SignInFlow? {
        do { return try await accounts.signIn.flows.waiting(flowID: id, cookie: cookie) } catch { throw BrokerageError(error) }
    }

    /// The flow that had its answer before. Mostly the person went back in the browser.
    package func flow(answeredBefore answer: ProviderAnswer) async throws(BrokerageError) -> SignInFlow? {
        let state = try answer.state
        do { return try await accounts.signIn.flows.answered(state) } catch { throw BrokerageError(error) }
    }

    /// The answer that was kept, for the browser that posted it and that started the flow.
    package func posted(_ ticket: ResumeTicket, cookie: String) async throws(BrokerageError) -> (SignInFlow, ProviderAnswer) {
        let kept: (SignInFlow, form: [UInt8])
        do {
            kept = try await accounts.signIn.flows.posted(ticket, cookie: cookie)
        } catch { throw BrokerageError(error) }
        guard let form = Form(kept.form) else { throw .badParameter("The form or query is malformed.") }
        return (kept.0, try ProviderAnswer(form))
    }

    /// The event for an app's frame that asks with a ticket. An event is given out once.
    package func takeEvent(
        _ ticket: FlowTicket, apiKey: String? = nil, appName: String? = nil, origin: String? = nil
    ) async throws(BrokerageError) -> SignInFlows.TakenEvent {
        do {
            return try await accounts.signIn.flows.takeEvent(ticket, apiKey: apiKey, appName: appName, origin: origin)
        } catch { throw BrokerageError(error) }
    }
}

/// A provider's answer, checked and not recorded yet.
package struct ReturnedSignIn: Sendable {
    package let flow: SignInFlow
    package let outcome: Outcome
    let cookie: String
    let answer: ProviderAnswer

    package enum Outcome: Sendable {
        /// The provider gave a code or a token. The app redeems the result by this code of ours; the provider's own goes no further.
        case succeeded(OneTimeCode)
        /// The provider said why not.
        case refused(BrokerageError)
    }
}

/// Return, second half: the answer is checked and recorded. One round trip.
extension BrokeredProject {
    /// Keeps an answer that came by a form post, which brings no cookie along, until the same browser comes with the ticket and its cookie.
    /// Only where the request asked for such an answer.
    package func keep(posted form: [UInt8], _ answer: ProviderAnswer, for flow: SignInFlow) async throws(BrokerageError) -> ResumeTicket {
        guard flow.kind.belongsToBrowser, try provider(UTF8Text(flow.providerID)).answersByPost else {
            let detail = "form post to a flow of kind \(flow.kind.rawValue), which was not asked to post"
            throw at(flow.providerID, .foreignAnswer("This sign-in accepts its answer only by redirect.", detail: detail))
        }
        let state = try answer.state
        do { return try await brokerage.accounts.signIn.flows.keepPosted(form, for: state) } catch { throw BrokerageError(error) }
    }

    /// Checks an answer by the browser that started the flow. Changes nothing: no other browser can use a `state` up.
    ///
    /// - Parameter cookie: the flow's own, which the browser brought; `record` compares it.
    package func receive(_ answer: ProviderAnswer, for flow: SignInFlow, cookie: String) async throws(BrokerageError) -> ReturnedSignIn {
        let provider = try provider(UTF8Text(flow.providerID))
        do throws(BrokerageError) { try await answer.check(of: configured(provider)) } catch { throw at(provider.id, error) }
        let outcome = answer.refusal.map(ReturnedSignIn.Outcome.refused) ?? .succeeded(.random())
        return ReturnedSignIn(flow: flow, outcome: outcome, cookie: cookie, answer: answer)
    }

    /// started → returned, with the answer sealed by the one-time code; or started → failed, which is counted.
    ///
    /// - Parameter event: what the app's frame may fetch of the outcome.
    package func record(_ returned: ReturnedSignIn, event: [UInt8]? = nil) async throws(BrokerageError) {
        let flow = returned.flow
        do {
            switch returned.outcome {
            case .succeeded(let code):
                try await brokerage.accounts.signIn.flows.recordReturn(
                    of: flow, code, cookie: returned.cookie, answer: Array(returned.answer.form.encoded().utf8), event: event)
            case .refused(let error):
                try await brokerage.accounts.signIn.flows.recordRefusal(of: flow, cookie: returned.cookie, event: event)
                count(flow.providerID, endedBy: error)
                if let reason = error.logDetail {
                    log.notice(
                        "provider refused",
                        metadata: ["project": "\(settings.id)", "provider": "\(flow.providerID)", "reason": "\(reason)"])
                }
            }
        } catch { throw BrokerageError(error) }
    }
}
