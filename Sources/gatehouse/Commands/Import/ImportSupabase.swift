import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    struct Supabase: ImportSourceCommand {
        static let configuration = CommandConfiguration(
            commandName: "supabase", abstract: "Bring the users of a dump of Supabase's schema auth.",
            discussion: """
                The dump has auth.users, auth.identities and auth.mfa_factors: pg_dump --data-only --table=auth.users --table=auth.identities \
                --table=auth.mfa_factors.
                """)

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions
        @OptionGroup var providers: SourceProviderOptions

        func source(now: Instant) throws -> any AccountSource {
            try SupabaseSource(path: options.file, names: providers.names, now: now)
        }
    }
}
