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
