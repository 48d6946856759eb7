package import Postgres

extension Schema {
    /// The schema of this binary: every file of `Migrations/`, which is compiled in.
    ///
    /// A name in Swift cannot begin with a digit, so the first one is replaced. A test compares this list with the folder.
    package static func embedded() throws(MigrationError) -> Schema {
        try Schema(files: [
            ("0001_accounts.sql", PackageResources._001_accounts_sql),
            ("0002_signing_keys.sql", PackageResources._002_signing_keys_sql),
            ("0003_sign_in_flows.sql", PackageResources._003_sign_in_flows_sql),
            ("0004_account_credentials.sql", PackageResources._004_account_credentials_sql),
            ("0005_mail_outbox.sql", PackageResources._005_mail_outbox_sql),
            ("0006_rate_limits.sql", PackageResources._006_rate_limits_sql),
            ("0007_service_accounts.sql", PackageResources._007_service_accounts_sql),
            ("0008_browser_and_native_flows.sql", PackageResources._008_browser_and_native_flows_sql),
            ("0009_action_codes.sql", PackageResources._009_action_codes_sql),
            ("0010_session_endings.sql", PackageResources._010_session_endings_sql),
            ("0011_open_sessions.sql", PackageResources._011_open_sessions_sql),
            ("0012_token_keys.sql", PackageResources._012_token_keys_sql),
            ("0013_late_repeats.sql", PackageResources._013_late_repeats_sql),
            ("0014_identities_by_address.sql", PackageResources._014_identities_by_address_sql),
            ("0015_raise_overtaken.sql", PackageResources._015_raise_overtaken_sql),
            ("0016_audit_events.sql", PackageResources._016_audit_events_sql),
            ("0017_identity_email_verified.sql", PackageResources._017_identity_email_verified_sql),
            ("0018_provider_tokens.sql", PackageResources._018_provider_tokens_sql),
            ("0019_authorization_requests.sql", PackageResources._019_authorization_requests_sql),
            ("0020_sessions_of_relying_parties.sql", PackageResources._020_sessions_of_relying_parties_sql),
            ("0021_administrators.sql", PackageResources._021_administrators_sql),
            ("0022_phone_numbers.sql", PackageResources._022_phone_numbers_sql),
            ("0023_open_sessions_index.sql", PackageResources._023_open_sessions_index_sql),
            ("0024_requests_by_address.sql", PackageResources._024_requests_by_address_sql),
            ("0025_consents_of_before.sql", PackageResources._025_consents_of_before_sql),
            ("0026_open_grants.sql", PackageResources._026_open_grants_sql),
            ("0027_purposes_of_mails.sql", PackageResources._027_purposes_of_mails_sql),
            ("0028_projects_of_background_jobs.sql", PackageResources._028_projects_of_background_jobs_sql),
            ("0029_deliveries.sql", PackageResources._029_deliveries_sql),
            ("0030_imports.sql", PackageResources._030_imports_sql),
            ("0031_bridged_sessions.sql", PackageResources._031_bridged_sessions_sql),
            ("0032_mirrors.sql", PackageResources._032_mirrors_sql),
            ("0033_second_factors.sql", PackageResources._033_second_factors_sql),
            ("0034_phone_codes.sql", PackageResources._034_phone_codes_sql),
            ("0035_passkeys.sql", PackageResources._035_passkeys_sql),
            ("0036_lost_second_factors.sql", PackageResources._036_lost_second_factors_sql),
            ("0037_events.sql", PackageResources._037_events_sql),
            ("0038_tenants.sql", PackageResources._038_tenants_sql),
            ("0039_hooks.sql", PackageResources._039_hooks_sql),
            ("0040_console.sql", PackageResources._040_console_sql),
            ("0041_user_search.sql", PackageResources._041_user_search_sql),
            ("0042_sign_in_log.sql", PackageResources._042_sign_in_log_sql),
            ("0043_erasures.sql", PackageResources._043_erasures_sql),
            ("0044_operator_passkeys.sql", PackageResources._044_operator_passkeys_sql),
        ])
    }
}
