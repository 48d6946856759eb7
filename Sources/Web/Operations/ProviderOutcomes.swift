package import Accounts
import Providers

extension SignInMetrics {
    /// Counts a sign-in that ended because of a provider's answer, or because the provider did not answer.
    package func count(_ provider: String, endedBy error: any Error) {
        if case ProviderError.unavailable = error { count(provider, .providerUnavailable) } else { count(provider, .refused) }
    }
}
