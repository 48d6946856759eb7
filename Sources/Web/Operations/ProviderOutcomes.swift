package import Accounts
import Providers

extension SignInMetrics {
    /// Counts a sign-in that a provider's answer, or the want of one, has ended.
    package func count(_ provider: String, endedBy error: any Error) {
        if case ProviderError.unavailable = error { count(provider, .providerUnavailable) } else { count(provider, .refused) }
    }
}
