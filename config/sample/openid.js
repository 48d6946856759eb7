// A relying party: sign-in by OpenID Connect alone, with the authorization code flow and PKCE, and without a library. Only the issuer and the
// client id come from Gatehouse; the rest is the same with every OpenID provider.
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
export const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
export const challenge = async (verifier) => base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));

// For display, and for tokens that come from the token endpoint itself: other tokens must be verified with the published keys.
export function decode(token) {
  const bytes = Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

export class RelyingParty {
  #metadata;

  constructor({ issuer, clientId, redirectUri }) {
    Object.assign(this, { issuer, clientId, redirectUri });
  }

  // The provider's endpoints, from its discovery document.
  metadata() {
    return (this.#metadata ??= fetch(`${this.issuer}/.well-known/openid-configuration`).then(async (response) => {
      const metadata = await response.json();
      if (metadata.issuer !== this.issuer) throw new Error("The discovery document is another issuer's.");
      return metadata;
    }));
  }

  // The first half: the address to send the browser to, and what this page keeps until the browser is back.
  async begin() {
    const flow = { verifier: random(), state: random(), nonce: random() };
    const query = new URLSearchParams({
      response_type: "code", client_id: this.clientId, redirect_uri: this.redirectUri, scope: "openid profile email offline_access",
      state: flow.state, nonce: flow.nonce, code_challenge: await challenge(flow.verifier), code_challenge_method: "S256",
    });
    return { address: `${(await this.metadata()).authorization_endpoint}?${query}`, flow };
  }

  // The second half: the parameters with which the browser came back become tokens.
  async finish(answer, flow) {
    if (answer.get("state") !== flow.state) throw new Error("This answer belongs to another sign-in (state).");
    if (answer.get("iss") !== this.issuer) throw new Error("This answer comes from another server (iss).");
    if (answer.has("error")) throw new Error(answer.get("error_description") ?? answer.get("error"));
    const tokens = await this.#token({
      grant_type: "authorization_code", code: answer.get("code"), redirect_uri: this.redirectUri, code_verifier: flow.verifier,
    });
    const claims = decode(tokens.idToken);
    const isOurs = claims.iss === this.issuer && claims.aud === this.clientId && claims.nonce === flow.nonce;
    if (!isOurs || claims.exp * 1000 < Date.now()) throw new Error("The ID token is not for this sign-in.");
    return tokens;
  }

  refresh(refreshToken) {
    return this.#token({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  async #token(fields) {
    const body = new URLSearchParams({ ...fields, client_id: this.clientId });
    const answer = await this.#json(fetch((await this.metadata()).token_endpoint, { method: "POST", body }));
    return { idToken: answer.id_token, accessToken: answer.access_token, refreshToken: answer.refresh_token };
  }

  async userInfo(accessToken) {
    return this.#json(fetch((await this.metadata()).userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } }));
  }

  // The address that ends the provider's own session in this browser, and leads back here.
  async endSession(idToken) {
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: this.redirectUri });
    return `${(await this.metadata()).end_session_endpoint}?${query}`;
  }

  // An overloaded server answers in plain text, which must not end the session here.
  async #json(request) {
    const response = await request;
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    let message = text.trim() || response.headers.get("www-authenticate");
    try { const { error, error_description: more } = JSON.parse(text); message = more ? `${error}: ${more}` : error; } catch { /* plain text */ }
    throw new Error(message);
  }
}
