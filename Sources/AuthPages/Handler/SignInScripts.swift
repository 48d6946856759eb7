import Web

extension PageScript {
    private init(_ name: String, _ source: [UInt8]) {
        self.init(at: "/__/auth/" + name, aliases: ["/emulator/auth/" + name], source)
    }

    static let iframePage = PageScript("iframe.js", PackageResources.iframe_js)
    static let handlerPage = PageScript("handler.js", PackageResources.handler_js)
    static let gapi = PageScript("gapi.js", PackageResources.gapi_js)

    static let verifyApp = PageScript("verify-app.js", PackageResources.verify_app_js)

    static let all = [iframePage, handlerPage, gapi, verifyApp]

    /// The script that `CaptchaScript` answers behind the settings of a project.
    static let captcha = PageScript("captcha.js", PackageResources.captcha_js).bytes
}
