// The same as player.js, done by an unmodified Firebase SDK that was loaded before.
"use strict";
window.makeClient = ({ apiKey, appName, authDomain, apiHost, emulator }) => {
  const sdk = window.firebase;
  const app = sdk.initializeApp({ apiKey, authDomain }, appName);
  const auth = sdk.getAuth(app);
  if (emulator) sdk.connectAuthEmulator(auth, emulator, { disableWarnings: true });
  else auth.config.apiHost = auth.config.tokenApiHost = apiHost;

  function outcome(credential) {
    if (!credential) return null;
    const { isNewUser, providerId } = sdk.getAdditionalUserInfo(credential);
    const { user, operationType } = credential;
    if (!sdk.OAuthProvider.credentialFromResult(credential)) throw new Error("no credential of the provider");
    const operation = { signIn: "signIn", link: "link", reauthenticate: "reauth" }[operationType];
    return { operation, uid: user.uid, email: user.email, provider: providerId, isNew: isNewUser };
  }

  function provider({ providerId, parameters, scopes }) {
    const made = new sdk.OAuthProvider(providerId);
    if (parameters) made.setCustomParameters(parameters);
    for (const scope of scopes ?? []) made.addScope(scope);
    return made;
  }

  const subject = (action) => (action === "signIn" ? auth : auth.currentUser);
  return {
    async popup(action, options) {
      const call = { signIn: sdk.signInWithPopup, link: sdk.linkWithPopup, reauth: sdk.reauthenticateWithPopup }[action];
      return outcome(await call(subject(action), provider(options)));
    },
    async redirect(action, options) {
      const call = { signIn: sdk.signInWithRedirect, link: sdk.linkWithRedirect, reauth: sdk.reauthenticateWithRedirect }[action];
      return outcome(await call(subject(action), provider(options)));
    },
    async result() { return outcome(await sdk.getRedirectResult(auth)); },
    async providers() {
      await auth.currentUser.reload();
      return auth.currentUser.providerData.map((info) => info.providerId).sort();
    },
  };
};
