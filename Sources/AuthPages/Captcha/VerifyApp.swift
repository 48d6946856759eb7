import Accounts
import Captcha
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// The page that a native app opens before a text message (`authType=verifyApp` of the handler). It shows the project's captcha and brings the token
/// back to the app, which sends it with the phone number. Nothing of it is stored.
/// <https://github.com/firebase/firebase-ios-sdk/blob/main/FirebaseAuth/Sources/Swift/AuthProvider/PhoneAuthProvider.swift>
struct VerifyApp {
    let project: Project
    let sdkRequest: SDKRequest
    let isAndroid: Bool
    /// The parameters that name the app, which the page's form repeats.
    let fields: [(name: String, value: String)]

    static let names = ["apiKey", "eventId", "ibi", "clientId", "appId", "apn", "sha1Cert", "hl"]

    /// Throws unless the app is registered, as for a sign-in.
    init(_ query: Form, _ project: Project) throws(Failure) {
        try query.once(Self.names.map { UTF8Text($0) })
        guard let eventID = try HandlerParameters.eventID(query) else { throw .invalidAddress("The parameter eventId is missing.") }
        let app: String
        switch (query.text("ibi"), query.text("apn")) {
        case (let ibi?, nil):
            app = try HandlerParameters.scheme(of: ibi, query, project)
            isAndroid = false
        case (nil, let apn?):
            app = try HandlerParameters.package(apn, query, project)
            isAndroid = true
        default: throw .invalidAddress("authType verifyApp is for native apps, which name themselves by one of ibi and apn.")
        }
        self.project = project
        sdkRequest = SDKRequest(
            apiKey: (query["apiKey"] ?? "").asString, authType: .verifyApp, eventID: eventID, app: app,
            language: query.text("hl").flatMap(HandlerParameters.language))
        fields = Self.names.compactMap { name in query.text(UTF8Text(name)).map { (name, $0.asString) } }
    }

    /// The page with the captcha; without a service, with a button alone.
    func page(_ request: Request) -> Response {
        let widget = project.settings.phone.captcha.service?.widget
        return project.templates.page(
            "verify", in: project.templates.language(for: request, parameter: sdkRequest.language),
            [
                "action": .text(VerifyAppForm.route.path), "hasCaptcha": .flag(widget != nil),
                "app": .text(project.settings.nameOfApp(sdkRequest.app) ?? project.templates.branding.name),
                "fields": .list(fields.map { ["name": .text($0.name), "value": .text($0.value)] }),
            ],
            allowing: widget == nil ? .forms : [.forms, .scripts], script: widget.map { _ in PageScript.verifyApp.link },
            data: widget.map { _ in ["captcha": .string(CaptchaScript.link(apiKey: sdkRequest.apiKey))] },
            guest: widget.map { GuestScript(sources: $0.sources, bringsStyle: $0.bringsStyle) })
    }

    /// The page from which the person returns to the app, with the token.
    func answer(_ token: String, _ request: Request) -> Response {
        let link = NativeLink(pagesURL: project.pagesURL, sdkRequest: sdkRequest, outcome: .token(token))
        return project.appPage(
            .done, app: project.settings.nameOfApp(sdkRequest.app),
            link: isAndroid ? link.android(package: sdkRequest.app ?? "") : link.ios(scheme: sdkRequest.app ?? ""),
            opensItself: isAndroid, language: sdkRequest.language, request)
    }
}

/// `POST /__/auth/verifyApp`: the form of that page, with the token. The token is checked when the app sends it with a number.
struct VerifyAppForm: RawEndpoint {
    static let route = Route(.post, "/__/auth/verifyApp", aliases: ["/emulator/auth/verifyApp"], access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(form: VerifyApp.names + ["token"], answers: [.page])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm else { throw Failure.invalidArgument("Expected the form of the page.") }
        let form = try Form.reading(request.body)
        guard let project = context.services.projects.project(apiKey: form["apiKey"] ?? "", for: request) else {
            throw Failure.linkWithoutAPIKey
        }
        return try await Optional(project).showingErrors(in: form["hl"]?.asString, backTo: nil) {
            let verify = try VerifyApp(form, project)
            // A project without a service needs a token all the same, since the SDK takes no answer without one.
            let token = project.settings.phone.captcha.service == nil ? "none" : form["token"] ?? ""
            guard (1...16384).contains(token.utf8.count) else { throw Failure.invalidArgument("The form has no token of the captcha.") }
            return verify.answer(token.asString, request)
        }
    }
}
