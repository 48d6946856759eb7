package import Captcha
import Config

extension ProjectSettings {
    /// Which proof that a person is there the project asks for before it sends a code by text message: `phone.captcha` of its file.
    package struct PhoneCaptcha: Sendable {
        /// `nil` where no service is named, so that no proof is asked for.
        package var service: (any Captcha)?
        /// Whether a code is sent only for a token that the service has confirmed. With `false`, tokens are not looked at, as apps in the
        /// SDKs' emulator mode need it, which make them up.
        package var isRequired = true

        package init() {}

        /// The service that has to confirm a token; `nil` where any client may ask for a code. Limits should be lower there.
        package var check: (any Captcha)? { isRequired ? service : nil }
    }
}

extension ProjectSettings.PhoneCaptcha {
    init(_ section: Section, development: Bool) {
        self.init()
        isRequired = section.bool("required", default: isRequired)
        var named: [String] = []
        for kind in Captchas.all where section.has(kind.name) {
            named.append(kind.name)
            service = kind.init(section.section(kind.name), development: development)
        }
        // Asked for last, so that a wrong name is compared with all of them.
        for kind in Captchas.all where !section.has(kind.name) { _ = section.section(kind.name) }
        if !isRequired, !development {
            section.note("required", "lets any program ask for text messages; it is for apps in the emulator mode of the SDKs")
        }
        if named.count > 1 { section.fault("", "names \(named.joined(separator: " and ")); a project has one service") }
        section.finish()
    }
}
