import Config

extension ProjectSettings {
    /// Second factors: `mfa` of a project's file. None can be enrolled by default, as with Firebase.
    ///
    /// An account that has second factors is asked for one whatever stands here: settings decide what may be enrolled.
    package struct MultiFactor: Sendable, Equatable {
        package enum State: String, Sendable, CaseIterable {
            /// No second factor can be enrolled.
            case disabled
            /// People may enrol second factors.
            case enabled
            /// The pages of this server let no one in without one, and the last one of an account cannot be withdrawn.
            case mandatory
        }

        /// The proof in the place of an authenticator app whose secret stayed at the system that the account came from.
        package enum LostFactors: String, Sendable, CaseIterable {
            /// Digits by mail.
            case mail
            /// Nothing: an administrator takes the factor away.
            case administrator
            /// The factor is taken away by the next sign-in, which needs no other.
            case drop
        }

        package var state = State.disabled
        /// Whether codes by text messages can be enrolled.
        package var sms = false
        /// Whether authenticator apps can be enrolled.
        package var authenticatorApps = true
        /// How many periods before and after the present one a code of an authenticator app still counts.
        package var adjacentIntervals = 1
        /// Whether people get codes on paper that stand in for a second factor once.
        package var recoveryCodes = true
        /// How long a device on which a second factor was passed needs none; `nil` for never.
        package var rememberDevice: Duration?
        package var lostFactors = LostFactors.mail

        package init() {}

        /// A code that is older or newer than this counts nowhere.
        package static let mostAdjacentIntervals = 10

        package var allowsEnrollment: Bool { state != .disabled }
        package var offersTOTP: Bool { allowsEnrollment && authenticatorApps }
        package var offersSMS: Bool { allowsEnrollment && sms }
    }
}

extension ProjectSettings.MultiFactor {
    /// ```yaml
    /// mfa:
    ///   state: enabled                          # disabled, enabled or mandatory
    ///   sms: false
    ///   totp: {enabled: true, adjacentIntervals: 1}
    ///   recoveryCodes: true
    ///   rememberDevice: 30d                     # 0 remembers none
    ///   lostSecondFactor: mail                  # mail, administrator or drop
    /// ```
    init(_ section: Section) {
        self.init()
        state = section.choice("state", default: state)
        sms = section.bool("sms", default: sms)
        let apps = section.section("totp")
        authenticatorApps = apps.bool("enabled", default: authenticatorApps)
        adjacentIntervals = apps.int("adjacentIntervals", default: adjacentIntervals, in: 0...Self.mostAdjacentIntervals)
        apps.finish()
        recoveryCodes = section.bool("recoveryCodes", default: recoveryCodes)
        let time = section.value("rememberDevice", expected: "0 (no device is remembered), or 1h to 365d") { text in
            text == "0" ? .zero : Duration(text: text).flatMap { (.seconds(3600)...(.seconds(365 * 86400))).contains($0) ? $0 : nil }
        }
        rememberDevice = time == .zero ? nil : time
        lostFactors = section.choice("lostSecondFactor", default: lostFactors)
        if state != .disabled, !authenticatorApps, !sms {
            section.note("state", "has no effect: neither totp nor sms can be enrolled")
        } else if state == .mandatory, !authenticatorApps {
            section.note("state", "lets people in without a second factor: the pages enrol authenticator apps alone; switch totp on")
        }
        section.finish()
    }
}
