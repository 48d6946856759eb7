package import Text

/// The facts that decide a new flow: who starts it, where the provider is to answer, and who may redeem the result.
package struct SignInStart: Sendable {
    package let providerID: String
    package let kind: SignInFlow.Kind
    /// `nil` where the secret of the flow's cookie redeems, too.
    package let sessionHash: [UInt8]?
    package let redirectURI: String
    package let returnURL: String?
    package let appState: String?
    package let sdkRequest: SDKRequest?
    package let customParameters: [UTF8Text: UTF8Text]

    package init(
        providerID: String, kind: SignInFlow.Kind, sessionHash: [UInt8]?, redirectURI: String, returnURL: String? = nil,
        appState: String? = nil, sdkRequest: SDKRequest? = nil, customParameters: [UTF8Text: UTF8Text] = [:]
    ) {
        self.providerID = providerID
        self.kind = kind
        self.sessionHash = sessionHash
        self.redirectURI = redirectURI
        self.returnURL = returnURL
        self.appState = appState
        self.sdkRequest = sdkRequest
        self.customParameters = customParameters
    }
}
