// An app in a browser with AppAuth-JS. The tests call what it puts into `window.app`, and read its results in `window.outcome`.
(() => {
    const { issuer, client, redirect } = JSON.parse(document.currentScript.dataset.settings);
    const requestor = new AppAuth.FetchRequestor();
    const tokens = new AppAuth.BaseTokenRequestHandler(requestor);
    const notifier = new AppAuth.AuthorizationNotifier();
    const authorization = new AppAuth.RedirectRequestHandler();
    authorization.setAuthorizationNotifier(notifier);
    const discovered = () => AppAuth.AuthorizationServiceConfiguration.fetchFromIssuer(issuer, requestor);
    const told = (promise) => {
        window.outcome = null;
        promise.then(
            (result) => (window.outcome = { result }),
            (error) => (window.outcome = { error: String(error && error.message ? error.message : error), extras: error && error.extras }));
    };
    const answer = async (parameters) =>
        (await tokens.performTokenRequest(await discovered(), new AppAuth.TokenRequest({ client_id: client, redirect_uri: redirect, ...parameters })))
            .toJson();

    notifier.setAuthorizationListener((request, response, error) => {
        if (error) {
            window.outcome = { error: error.error };
            return;
        }
        const extras = { code_verifier: request.internal.code_verifier };
        told(answer({ grant_type: AppAuth.GRANT_TYPE_AUTHORIZATION_CODE, code: response.code, extras }));
    });

    window.app = {
        signIn(more) {
            // The library reads the answer in the fragment.
            const request = {
                client_id: client, redirect_uri: redirect, scope: "openid profile offline_access", response_type: "code",
                extras: { response_mode: "fragment", ...more },
            };
            discovered().then((configuration) =>
                authorization.performAuthorizationRequest(configuration, new AppAuth.AuthorizationRequest(request)));
        },
        finish: () => authorization.completeAuthorizationRequestIfPossible(),
        refresh: (token) => told(answer({ grant_type: AppAuth.GRANT_TYPE_REFRESH_TOKEN, refresh_token: token })),
        revoke: (token) => told(discovered().then((configuration) =>
            tokens.performRevokeTokenRequest(configuration, new AppAuth.RevokeTokenRequest({ token, client_id: client })))),
        async endSession(hint) {
            const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: redirect, state: "left" });
            location.assign(`${(await discovered()).endSessionEndpoint}?${query}`);
        },
    };
})();
