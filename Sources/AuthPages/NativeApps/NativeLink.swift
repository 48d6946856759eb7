import Accounts
import HTTP
import JSON
import Text
import Web

/// The addresses with which a browser opens a native app and hands it the result of its flow.
///
/// Every value is percent-encoded except for the unreserved characters of RFC 3986: the SDKs read `+` as a space, and a value must not
/// contain a character that ends the part it stands in (`;` of an intent, `&` of a query).
struct NativeLink {
    /// Scheme, host and port of our pages.
    let pagesURL: String
    let sdkRequest: SDKRequest
    let outcome: Outcome

    enum Outcome: Equatable {
        case success(link: String)
        /// The token of a captcha.
        case token(String)
        case failure(code: String, message: String)
    }

    /// `<scheme>://firebaseauth/link?deep_link_id=…`: the inner address is encoded once as a value, and the values in it once more.
    /// <https://github.com/firebase/firebase-ios-sdk/blob/main/FirebaseAuth/Sources/Swift/Utilities/AuthWebUtils.swift>
    func ios(scheme: String) -> String {
        let result =
            switch outcome {
            case .success(let link): "link=\(PercentEncoding.encode(link))"
            case .token(let token): "recaptchaToken=\(PercentEncoding.encode(token))"
            case .failure(let code, let message): "firebaseError=\(PercentEncoding.encode(Self.error(code, message)))"
            }
        let inner =
            "\(pagesURL)/__/auth/callback?authType=\(PercentEncoding.encode(sdkRequest.authType.rawValue))"
            + "&eventId=\(PercentEncoding.encode(sdkRequest.eventID ?? ""))&\(result)"
        return "\(scheme)://firebaseauth/link?deep_link_id=\(PercentEncoding.encode(inner))"
    }

    /// An intent for the SDK's own activity in that package, which for a captcha is another one. The SDK assumes that the link is encrypted unless
    /// `encryptionEnabled` is false.
    /// <https://developer.chrome.com/docs/android/intents>
    func android(package: String) -> String {
        var scheme = "genericidp"
        let result: String
        switch outcome {
        case .success(let link): result = "S.link=\(PercentEncoding.encode(link));B.encryptionEnabled=false;"
        case .token(let token):
            scheme = "recaptcha"
            let link =
                "\(pagesURL)/__/auth/callback?authType=\(sdkRequest.authType.rawValue)"
                + "&eventId=\(PercentEncoding.encode(sdkRequest.eventID ?? ""))&recaptchaToken=\(PercentEncoding.encode(token))"
            result = "S.link=\(PercentEncoding.encode(link));B.encryptionEnabled=false;"
        case .failure(let code, let message): result = "S.firebaseError=\(PercentEncoding.encode(Self.error(code, message)));"
        }
        return "intent://firebase.auth/#Intent;scheme=\(scheme);package=\(PercentEncoding.encode(package));"
            + "S.authType=\(PercentEncoding.encode(sdkRequest.authType.rawValue));S.eventId=\(PercentEncoding.encode(sdkRequest.eventID ?? ""));"
            + result + "S.browser_fallback_url=\(PercentEncoding.encode(AppMissing.address(pagesURL: pagesURL, sdkRequest)));end;"
    }

    private static func error(_ code: String, _ message: String) -> String {
        JSON.object(["code": .string(code), "message": .string(message)]).text()
    }
}
