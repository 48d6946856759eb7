package import Accounts
package import Curl
import HTTP
import JSON
package import Logging
package import ProjectSettings
package import Runtime
import Text
import Webhooks

/// Calls the hooks of projects: pages of the operator's that are asked before a sign-in ends or a message is sent.
///
/// A call carries one token in the form of Firebase's blocking functions (`HookTokens`), and the signature of Standard Webhooks. `HookReply` judges
/// the answer, `HookTraffic` keeps a page that does not answer from holding sign-ins up. What an answer may change, and when a hook is asked, are
/// rules of `Accounts`.
package struct HookCalls: HookCaller {
    /// Bytes of an answer that are read.
    private static let longestAnswer = 64 << 10

    private let upstream: any Upstream
    private let tokens: HookTokens
    private let traffic: HookTraffic
    private let clock: Clock
    private let log: Logger

    package init(upstream: any Upstream, tokens: HookTokens, traffic: HookTraffic, clock: Clock, log: Logger) {
        self.upstream = upstream
        self.tokens = tokens
        self.traffic = traffic
        self.clock = clock
        self.log = log
    }

    package func answer(
        to question: HookQuestion, by hook: BlockingHook, within time: Duration, in project: ProjectSettings
    ) async throws(AccountError) -> HookAnswer {
        // It says nothing about the page that this server cannot sign.
        let token = try tokens.token(for: question, to: hook, in: project)
        let reply: HookReply
        do throws(HookFault) { reply = try await self.reply(to: question, token, by: hook, within: time, in: project) } catch {
            log(.warning, "a hook gave no sound answer", question, project, error.reason, hook.onFailure)
            guard hook.onFailure == .allow else { throw .hookUnavailable(question.event) }
            return HookAnswer()
        }
        switch reply {
        case .answer(let answer): return answer
        case .refused(let refusal):
            log(.notice, "a hook refused", question, project, "status \(refusal.code) \(refusal.status)")
            throw .refusedByHook(refusal)
        }
    }

    /// Makes the call itself, for one who wants to see what comes of it.
    package func reply(
        to question: HookQuestion, _ token: String, by hook: BlockingHook, within time: Duration, in project: ProjectSettings
    ) async throws(HookFault) -> HookReply {
        let key = HookTraffic.Key(projectID: project.id, event: question.event)
        guard let limit = traffic.begin(key) else { throw HookFault("too many calls wait for its answers") }
        let body = JSON.object(["data": ["jwt": .string(token)]]).bytes()
        var request = hook.webhook.request(id: question.id, body, at: clock.now())
        request.timeout = min(time, limit)
        request.connectTimeout = request.timeout
        request.maxBytes = Self.longestAnswer
        let start = MonotonicTime.read()
        let outcome: Result<HookReply, HookFault>
        do throws(OutboundError) {
            let response = try await upstream.send(request)
            do throws(HookFault) { outcome = .success(try HookReply(response, to: question.event)) } catch { outcome = .failure(error) }
        } catch {
            outcome = .failure(HookFault("\(error)"))
        }
        traffic.end(key, outcome, after: .microseconds(Int64(clamping: MonotonicTime.read().microseconds(since: start))))
        return try outcome.get()
    }

    private func log(
        _ level: Logger.Level, _ message: Logger.Message, _ question: HookQuestion, _ project: ProjectSettings, _ reason: String,
        _ policy: BlockingHook.FailurePolicy? = nil
    ) {
        var metadata: Logger.Metadata = [
            "project": "\(project.storageID)", "hook": "\(question.event.rawValue)", "call": "\(question.id)", "reason": "\(reason)",
        ]
        metadata["onFailure"] = policy.map { "\($0.rawValue)" }
        log.log(level: level, message, metadata: metadata)
    }
}

/// The reason why an answer is not one, for the log.
package struct HookFault: Error, Equatable, Sendable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
