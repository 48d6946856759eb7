package import Config
package import Curl
package import JSON
package import Runtime
package import Text

/// A service that tells people from programs, as a value: its widget for pages, and its check of the token that a widget gave.
///
/// A page draws the widget, the app sends the token that comes of it, and `verdict(of:by:at:)` asks the service what the token is worth.
/// Which call needs a token, which hosts may have made it, and that it counts once is for the caller to decide.
package protocol Captcha: Sendable {
    /// The key of its settings.
    static var name: String { get }
    /// Reads its settings. What is wrong is recorded in the section; then it is `nil`.
    init?(_ section: Section, development: Bool)
    var widget: CaptchaWidget { get }
    /// Whether the Firebase SDKs get tokens from it by themselves.
    var madeBySDK: Bool { get }
    /// The question to the service; `nil` for a token that it cannot have made.
    func request(_ attempt: CaptchaAttempt) -> OutboundRequest?
    /// Reads the verdict out of the answer of the service. Throws where it says nothing about the token.
    func verdict(_ answer: JSON, on attempt: CaptchaAttempt, at now: Instant) throws(CaptchaFailure) -> CaptchaVerdict
}

/// The services that a project can choose from. To add one, add a file and a line here.
package enum Captchas {
    package static let all: [any Captcha.Type] = [
        HCaptcha.self,
        Recaptcha.self,
        RecaptchaEnterprise.self,
        Turnstile.self,
    ]
}

/// A token that a client sent, and who sent it.
package struct CaptchaAttempt: Sendable {
    package var token: UTF8Text
    package var action: CaptchaAction
    /// The address of the client.
    package var address: String
    package var userAgent: UTF8Text?

    package init(token: UTF8Text, action: CaptchaAction, address: String, userAgent: UTF8Text? = nil) {
        self.token = token
        self.action = action
        self.address = address
        self.userAgent = userAgent
    }
}

/// The thing that a person is about to do, as the SDKs name it to the service.
package enum CaptchaAction: String, Sendable, CaseIterable {
    case sendVerificationCode, mfaSmsEnrollment, mfaSmsSignIn
}

/// The verdict of a service on a token.
package enum CaptchaVerdict: Sendable, Equatable {
    /// The token is good, and was made here.
    case solved(at: CaptchaPlace)
    /// The token is made up, used, too old, or of a program. The reason is for the log.
    case refused(String)
    /// The token is good for something else.
    case otherAction
}

/// Where a token was made.
package enum CaptchaPlace: Sendable, Equatable {
    /// At a page of this host.
    case page(host: UTF8Text)
    /// In a native app with this bundle id or package.
    case app(UTF8Text)
}

/// The reason why a service gave no verdict. It is for the log.
package struct CaptchaFailure: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension Captcha {
    package var madeBySDK: Bool { false }

    /// Asks the service. One request; where it gives no verdict, this throws, and the caller refuses.
    package func verdict(
        of attempt: CaptchaAttempt, by upstream: any Upstream, at now: Instant
    ) async throws(CaptchaFailure) -> CaptchaVerdict {
        guard let request = request(attempt) else { return .refused("the token does not have the form of one") }
        let response: OutboundResponse
        do { response = try await upstream.send(request) } catch { throw CaptchaFailure("\(error)") }
        guard let answer = try? JSON.parse(response.body), answer.object != nil else {
            throw CaptchaFailure("it answered \(response.status) with something that is not JSON")
        }
        guard response.status == 200 else { throw CaptchaFailure("it answered \(response.status)") }
        return try verdict(answer, on: attempt, at: now)
    }
}
