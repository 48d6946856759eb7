package import Runtime

extension AuditEvent {
    /// A part of an account that an act changes.
    package enum Field: Sendable, CaseIterable {
        case email, password, claims, disabled, profile, phoneNumber, identities
    }
}

extension AuditEvent.Action {
    /// The parts of the account that the act may have changed, besides the time from which its tokens count; `nil` for an act that leaves the
    /// account as it was.
    var changedFields: Set<AuditEvent.Field>? {
        switch self {
        // Only an act of its own lets a person in again.
        case .accountCreated, .accountDeleted: Set(AuditEvent.Field.allCases).subtracting([.disabled])
        case .accountTakenOver: Set(AuditEvent.Field.allCases).subtracting([.disabled, .claims])
        case .addressMoved: [.email, .password]
        case .providerLinked, .providerUnlinked: [.identities]
        case .passwordAdded, .passwordChanged, .passwordRemoved: [.password]
        case .accountDisabled, .accountEnabled: [.disabled]
        case .claimsChanged: [.claims]
        case .emailChanged: [.email]
        case .phoneNumberAdded, .phoneNumberChanged, .phoneNumberRemoved: [.phoneNumber]
        case .profileChanged: [.profile]
        case .sessionsRevoked: []
        // An import stores what another system has, and is not copied back.
        case .accountsImported, .accountImported, .emailLinkAdded, .emailLinkRemoved, .secondFactorsRemoved, .secondFactorsChanged,
            .secondFactorAdded, .secondFactorRemoved, .secondFactorRefused, .secondFactorWarningMailed, .recoveryCodesMade,
            .recoveryCodeUsed, .passkeyAdded, .passkeyRemoved, .passkeyRenamed, .passkeySuspected, .phoneNumberUsedAgain,
            .rememberedDevicesForgotten,
            .linkMade, .linkMailed,
            .sessionsEnded, .sessionBridged, .sessionCookieCreated, .clientSessionStolen, .providerTokensGiven, .limitsForgotten,
            .auditExported, .accountExported,
            .accountErased, .databaseRestored,
            .tenantCreated, .tenantChanged, .tenantDeleted, .serviceAccountKeyMade,
            .serviceAccountKeyRevoked, .serviceAccountRightsSet, .signingKeyRotated, .masterKeyResealed, .consoleOpened, .consoleSignedIn,
            .operatorBound, .operatorUnbound, .operatorPasskeyAdded, .operatorPasskeyRemoved, .operatorPasskeySuspected,
            .deliveriesRepeated, .sampleMailSent, .providerChecked:
            nil
        }
    }

    /// Whether sessions of the account may have ended with the act.
    var mayEndSessions: Bool {
        switch self {
        case .passwordAdded, .passwordChanged, .passwordRemoved, .emailChanged, .phoneNumberAdded, .phoneNumberChanged, .phoneNumberRemoved,
            .providerUnlinked, .accountDeleted,
            .accountDisabled, .accountTakenOver, .addressMoved, .sessionsRevoked:
            true
        default: false
        }
    }
}

extension Account {
    /// The last time at which sessions ended that were open then. At Google all of them end: it does not know one from another.
    package var allEndedAt: Instant { max(validSince, sessionsEndedAt ?? validSince) }
}
