import Runtime

extension Account {
    /// An account that has nothing but what every account has, and one that has everything. Descriptions of answers are read from what is
    /// written of the two.
    package static let samples = [
        Account(id: "id", validSince: Instant(seconds: 0), createdAt: Instant(seconds: 0)),
        Account(
            id: "id", email: "ada@example.com", emailVerified: true, emailProven: true, phoneNumber: "+15555550100",
            phoneLinkedUnproven: true, displayName: "Ada",
            photoURL: "https://example.com/a.png",
            profile: "{}", disabled: true, customAttributes: "{}", validSince: Instant(seconds: 0), sessionsEndedAt: Instant(seconds: 0),
            createdAt: Instant(seconds: 0), lastLoginAt: Instant(seconds: 0), lastRefreshAt: Instant(seconds: 0),
            initialEmail: "first@example.com", passwordUpdatedAt: Instant(seconds: 0), emailLinkSignIn: true, customAuth: true,
            secondFactors: #"[{"mfaEnrollmentId":"1","displayName":"a","phoneInfo":"+15555550100","enrolledAt":"1970-01-01T00:00:00Z"}]"#,
            identities: [
                LinkedIdentity(
                    providerID: "oidc.example", subject: "1", email: "ada@example.com", emailVerified: true, displayName: "Ada",
                    photoURL: "https://example.com/a.png", screenName: "ada")
            ],
            userHandle: [1],
            passkeys: [
                AccountPasskey(credentialID: [1], name: "a", displayName: "a"), AccountPasskey(credentialID: [2], name: "b"),
            ]),
    ]
}
