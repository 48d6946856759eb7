// Passkeys, by the calls of the passkey branches of the Firebase SDKs. The browser does the rest.
const { PublicKeyCredential, navigator } = window;

export const hasPasskeys = Boolean(PublicKeyCredential?.parseCreationOptionsFromJSON);

// Adds a passkey to the account. Gives the tokens of the session that goes on.
export async function addPasskey(call, idToken) {
  const { credentialCreationOptions } = await call("/v2/accounts/passkeyEnrollment:start", { idToken });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(credentialCreationOptions);
  const credential = await navigator.credentials.create({ publicKey });
  return call("/v2/accounts/passkeyEnrollment:finalize", {
    idToken, name: "Sample page", authenticatorRegistrationResponse: credential.toJSON(),
  });
}

// Signs in with a passkey of this browser. Gives the tokens.
export async function signInWithPasskey(call) {
  const { credentialRequestOptions } = await call("/v2/accounts/passkeySignIn:start", {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(credentialRequestOptions);
  const credential = await navigator.credentials.get({ publicKey });
  return call("/v2/accounts/passkeySignIn:finalize", { authenticatorAuthenticationResponse: credential.toJSON() });
}
