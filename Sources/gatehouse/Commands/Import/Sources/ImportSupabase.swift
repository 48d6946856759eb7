import ArgumentParser
import Migration
import Runtime

extension ImportCommand {
    struct Supabase: FileImportCommand {
        static let configuration = CommandConfiguration(
            commandName: "supabase", abstract: "Bring the users of a dump of Supabase's schema auth.",
            discussion: """
                The dump has auth.users, auth.identities and auth.mfa_factors: pg_dump --data-only --table=auth.users --table=auth.identities \
                --table=auth.mfa_factors.
                """)

        @OptionGroup var common: CommonOptions
        @OptionGroup var options: ImportOptions

        @Argument(.source) var file: String

        @OptionGroup var providers: SourceProviderOptions

        func source(now: Instant) throws -> any AccountSource {
            try SupabaseSource(path: file, names: providers.names, now: now)
        }
    }
}
