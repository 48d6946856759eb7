import JSON
import ProjectSettings
import Text
import Web

/// The settings of second factors, as calls write them for a project (`mfa`) and for a tenant (`mfaConfig`).
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/MultiFactorAuthConfig>
struct MFAConfig: Codable, Sendable {
    enum State: String, WireEnum, Encodable {
        static let unspecified = "STATE_UNSPECIFIED"

        case withoutFactors = "DISABLED"
        case withFactors = "ENABLED"
        case onlyWithFactors = "MANDATORY"
    }
    enum Provider: String, WireEnum, Encodable {
        static let unspecified = "PROVIDER_UNSPECIFIED"

        case sms = "PHONE_SMS"
    }
    /// The settings of authenticator apps.
    struct Factor: Codable, Sendable {
        var state: State?
        var totpProviderConfig: TOTP?
    }
    struct TOTP: Codable, Sendable { var adjacentIntervals: Int? }

    var state: State?
    var enabledProviders: [Provider]?
    var providerConfigs: [Factor]?

    /// With nothing for the settings that a mask names and the body does not have.
    ///
    /// - Parameters:
    ///   - config: of the body, without what the mask does not name; `nil` for a body without it.
    ///   - group: its name.
    static func clearing(_ config: MFAConfig?, _ mask: UpdateMask, _ group: UTF8Text) -> MFAConfig? {
        var cleared = config ?? MFAConfig()
        if mask.names("\(group).state") { cleared.state = cleared.state ?? .withoutFactors }
        if mask.names("\(group).enabledProviders") { cleared.enabledProviders = cleared.enabledProviders ?? [] }
        if mask.names("\(group).providerConfigs") { cleared.providerConfigs = cleared.providerConfigs ?? [] }
        let isNamed = mask.paths.contains { $0 == group || $0.hasPrefix("\(group).") }
        return isNamed ? cleared : config
    }

    /// Sets what is present. A list replaces what was there, as at Identity Platform.
    func set(in factors: inout ProjectSettings.MultiFactor) {
        switch state {
        case .withoutFactors: factors.state = .disabled
        case .withFactors: factors.state = .enabled
        case .onlyWithFactors: factors.state = .mandatory
        case nil: break
        }
        if let enabledProviders { factors.sms = enabledProviders.contains(.sms) }
        guard let apps = providerConfigs else { return }
        factors.authenticatorApps = apps.contains { $0.totpProviderConfig != nil && $0.state != .withoutFactors }
        if let intervals = apps.compactMap(\.totpProviderConfig?.adjacentIntervals).last {
            factors.adjacentIntervals = min(max(intervals, 0), ProjectSettings.MultiFactor.mostAdjacentIntervals)
        }
    }
}
