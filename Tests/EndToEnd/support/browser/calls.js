// The parts that tests of an SDK's calls need besides the SDK: a new `auth` that uses a server (Google's without one), and errors as values.
"use strict";
window.connect = ({ apiKey, name, emulator, apiHost, persistence }) => {
  const sdk = window.firebase;
  const app = sdk.initializeApp({ apiKey, projectId: "demo", authDomain: apiHost }, name);
  const auth = sdk.initializeAuth(app, { persistence: sdk[persistence ?? "inMemoryPersistence"] });
  if (emulator) sdk.connectAuthEmulator(auth, emulator, { disableWarnings: true });
  else if (apiHost) auth.config.apiHost = auth.config.tokenApiHost = apiHost;
  return auth;
};

// The code of the error with which `work` must end.
window.codeOf = async (work) => {
  let result;
  try { result = await work; } catch (error) { return error.code ?? String(error); }
  throw new Error(`no error, but ${JSON.stringify(result)}`);
};

window.profile = (user) => ({
  uid: user.uid, email: user.email, verified: user.emailVerified, anonymous: user.isAnonymous, name: user.displayName,
  photo: user.photoURL, providers: user.providerData.map((info) => info.providerId),
});
