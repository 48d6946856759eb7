// The same as player.js, done by an unmodified Firebase SDK that was loaded before.
"use strict";
window.makeClient = ({ apiKey, appName, authDomain, apiHost, emulator }) => {
  const sdk = window.firebase;
  const app = sdk.initializeApp({ apiKey, authDomain }, appName);
  const auth = sdk.getAuth(app);
  if (emulator) sdk.connectAuthEmulator(auth, emulator, { disableWarnings: true });
  else auth.config.apiHost = auth.config.tokenApiHost = apiHost;
  return clientOf(auth);
};

// For an `auth` that exists already.
window.clientOf = (auth) => {
  const sdk = window.firebase;
  let pending = null, resolver = null;

  function outcome(credential) {
    if (!credential) return null;
    const { isNewUser, providerId } = sdk.getAdditionalUserInfo(credential);
    const { user, operationType } = credential;
    const kind = kindOf(credential.providerId);
    if (!kind.credentialFromResult(credential)) throw new Error("no credential of the provider");
    const operation = { signIn: "signIn", link: "link", reauthenticate: "reauth" }[operationType];
    return { operation, uid: user.uid, email: user.email, provider: providerId, isNew: isNewUser };
  }

  /** As an app does: with the class that the SDK has for the provider, if it has one. */
  const kindOf = (providerId) => Object.values(sdk).find((kind) => kind?.PROVIDER_ID === providerId) ?? sdk.OAuthProvider;

  function provider({ providerId, parameters, scopes }) {
    const made = new (kindOf(providerId))(providerId);
    if (parameters) made.setCustomParameters(parameters);
    for (const scope of scopes ?? []) made.addScope(scope);
    return made;
  }

  /** Keeps what an error brings: the step that is still due, or the credential, which the person may link once they are signed in. */
  const keeping = (work) => work.catch((error) => {
    if (error.code === "auth/multi-factor-auth-required") resolver = sdk.getMultiFactorResolver(auth, error);
    pending = kindOf(error.customData?._tokenResponse?.providerId ?? "").credentialFromError(error);
    throw error;
  });

  const subject = (action) => (action === "signIn" ? auth : auth.currentUser);
  return {
    async popup(action, options) {
      const call = { signIn: sdk.signInWithPopup, link: sdk.linkWithPopup, reauth: sdk.reauthenticateWithPopup }[action];
      return outcome(await keeping(call(subject(action), provider(options))));
    },
    async redirect(action, options) {
      const call = { signIn: sdk.signInWithRedirect, link: sdk.linkWithRedirect, reauth: sdk.reauthenticateWithRedirect }[action];
      return outcome(await call(subject(action), provider(options)));
    },
    async result() { return outcome(await keeping(sdk.getRedirectResult(auth))); },
    async guest() { return (await sdk.signInAnonymously(auth)).user.uid; },
    async password({ email, password, isNew }) {
      const call = isNew ? sdk.createUserWithEmailAndPassword : sdk.signInWithEmailAndPassword;
      return (await call(auth, email, password)).user.uid;
    },
    async linkPending() { return outcome(await sdk.linkWithCredential(auth.currentUser, pending)); },
    async unlink(providerId) { return (await sdk.unlink(auth.currentUser, providerId)).uid; },
    async secondStep(code) {
      const assertion = sdk.TotpMultiFactorGenerator.assertionForSignIn(resolver.hints[0].uid, code);
      const { user } = await resolver.resolveSignIn(assertion);
      return { uid: user.uid, ...(await user.getIdTokenResult()).claims.firebase };
    },
    token() { return auth.currentUser.getIdToken(); },
    async signOut() { await sdk.signOut(auth); },
    async providers() {
      await auth.currentUser.reload();
      return auth.currentUser.providerData.map((info) => info.providerId).sort();
    },
  };
};
