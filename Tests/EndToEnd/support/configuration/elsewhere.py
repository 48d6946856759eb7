"""Defaults of the configuration that the sources do not have where the key is read."""

# The cell of the page, and what the sources say of it.
ELSEWHERE = {
    "server listen": ("`127.0.0.1:8080`", "listen ?? ListenAddress(host: .loopback, port: 8080)"),
    "server mail.smtp.port": ("`587`; with `tls` `465`, with `none` `25`", "case .starttls: 587; case .tls: 465; case .none: 25"),
    "project sessions.idle": ("`0`", "idle = time == .zero ? nil : time"),
    "project mfa.rememberDevice": ("`0`", "rememberDevice = time == .zero ? nil : time"),
    "project mfa.totp.enabled": ("`true`", "package var authenticatorApps = true"),
    "project phone.enabled": ("`false`", "package var enabled = false"),
    "project phone.transport.twilio.endpoint": ("`https://api.twilio.com`", 'section.endpoint("https://api.twilio.com"'),
    "project phone.transport.vonage.endpoint": ("`https://rest.nexmo.com`", 'section.endpoint("https://rest.nexmo.com"'),
    "project passkeys.attestation": ("`none`", 'enum Attestation: String, CaseIterable { case noStatement = "none" }'),
    "project openIDProvider.clients[].authentication": (
        "`none`; with `kind: confidential` `basic`",
        "static func usualAuthentication(of kind: Kind) -> Authentication { kind == .confidential ? .basic : .none }",
    ),
    "project openIDProvider.clients[].refresh.lifetime": (
        "`90d`; with `kind: browser` `1d`",
        "static func usualLifetime(of kind: Kind) -> Duration { .seconds(kind == .browser ? 86400 : 90 * 86400) }",
    ),
    "project openIDProvider.clients[].refresh.idle": (
        "`14d`, or `lifetime` if that is less",
        'section.duration("idle", default: min(refreshIdle, refreshLifetime), in: range)',
    ),
    "project providers.github.com.apiBase": (
        "`https://api.github.com`",
        'host == "github.com" || host.hasSuffix(".ghe.com") else { return "\\(baseURL)/api/v3" } return "https://api.',
    ),
    "project providers.twitter.com.ownCallback": (
        "`false`; with `protocol: oauth2` `true`",
        'section.bool("ownCallback", default: provider.hasOwnCallback && self.protocol.isOAuth2)',
    ),
    "project providers.twitter.com.apiBase": (
        "`https://api.twitter.com`; with `protocol: oauth2` `https://api.x.com`",
        'apiBase = Twitter.apiBase(section, default: "https://api.x.com", allowInsecure: allowInsecure)',
    ),
}
