// A browser app without an SDK, which signs people in by two ways:
// - With pages of its own. With a provider, the browser goes to /__/auth/start and comes back with a one-time code, and the app calls
//   accounts:signInWithIdp. For passwords, guests and links by mail, it makes one call each.
// - Through the hosted page of Gatehouse, by OpenID Connect: openid.js.
// A sign-in of the first way may ask for a second factor: second-factor.js. Passkeys: passkey.js.
import { RelyingParty, challenge, decode, random } from "./openid.js";
import { addPasskey, hasPasskeys, signInWithPasskey } from "./passkey.js";
import { SecondFactor } from "./second-factor.js";

const { project, issuer, apiKey, providers, developmentProviders, methods, openID } = await (await fetch("project.json")).json();
const page = location.origin + location.pathname;
const hosted = openID && new RelyingParty({ ...openID, redirectUri: page });

// The buttons that not every project and browser has.
const offers = { "enroll-phone": methods.phone, "add-passkey": methods.passkey && hasPasskeys };

const element = (id) => document.getElementById(id);

// The state that this tab keeps: `flow` while the browser is at the provider, `session` once signed in, and `pending` while a provider waits
// to be added to an account.
const memory = {
  read: (name) => JSON.parse(sessionStorage.getItem(name) ?? "null"),
  write: (name, value) => sessionStorage.setItem(name, JSON.stringify(value)),
  forget: (name) => sessionStorage.removeItem(name),
};

async function call(path, body) {
  const response = await fetch(`${path}?key=${encodeURIComponent(apiKey)}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  let message = text.trim();
  try { message = JSON.parse(text).error.message; } catch { /* an overloaded server answers in plain text */ }
  throw new Error(message);
}

const secondFactor = new SecondFactor(call, element("second-factor"));

async function signInAt(providerId) {
  const verifier = random();
  const state = random();
  memory.write("flow", { verifier, state });
  const query = new URLSearchParams({
    apiKey, providerId, redirectUrl: page, state, code_challenge: await challenge(verifier), code_challenge_method: "S256",
  });
  location.assign(`/__/auth/start?${query}`);
}

async function signInHosted() {
  const { address, flow } = await hosted.begin();
  memory.write("flow", { ...flow, isHosted: true });
  location.assign(address);
}

// Ends every sign-in. When the one before found an account that had its address, and this one opens that account, its provider is added.
async function keep(signedIn) {
  const pending = memory.read("pending");
  memory.forget("pending");
  if (signedIn.mfaPendingCredential) signedIn = await secondFactor.pass(signedIn);
  const isOwner = pending && pending.email === decode(signedIn.idToken).email?.toLowerCase();
  const { idToken, refreshToken } = isOwner ? await link(pending.token, signedIn.idToken) : signedIn;
  memory.write("session", { idToken, refreshToken });
}

const link = (pendingToken, idToken) =>
  call("/v1/accounts:signInWithIdp", { pendingToken, idToken, requestUri: page, returnSecureToken: true });

const typed = () => ({ email: element("email").value, password: element("secret").value, returnSecureToken: true });

// Asks for a mail. On this machine, in development mode, the page can show its link without a mailbox.
async function mail(requestType, { email, idToken } = typed()) {
  await call("/v1/accounts:sendOobCode", { requestType, email, idToken, continueUrl: page, canHandleCodeInApp: true });
  // The link may be opened in another tab.
  localStorage.setItem("email", email);
  const sent = (await (await fetch(`/emulator/v1/projects/${project}/oobCodes`)).json()).oobCodes;
  const letter = sent.findLast((code) => code.email === email.toLowerCase() && code.requestType === requestType);
  if (letter) element("mail").href = "/__/auth/action" + new URL(letter.oobLink).search;
  element("mailed").hidden = !letter;
}

// The second half of a sign-in by link.
async function finishLink(oobCode) {
  history.replaceState(null, "", page);
  const email = localStorage.getItem("email") ?? prompt("Which address was the link mailed to?");
  localStorage.removeItem("email");
  await keep(await call("/v1/accounts:signInWithEmailLink", { email, oobCode }));
}

// The second half of a sign-in by provider or through the hosted page: the browser is back with an answer in the address.
async function finish() {
  const answer = new URLSearchParams(location.search);
  if (answer.get("mode") === "signIn") return finishLink(answer.get("oobCode"));
  if (!answer.has("state")) return;
  const requestUri = location.href;
  // The code works once, so it is removed from the address bar and the history at once.
  history.replaceState(null, "", page);
  const flow = memory.read("flow");
  memory.forget("flow");
  if (!flow || answer.get("state") !== flow.state) throw new Error("This answer belongs to another sign-in (state).");
  if (flow.isHosted) return memory.write("session", await hosted.finish(answer, flow));
  if (answer.get("iss") !== issuer) throw new Error("This answer comes from another server (iss).");
  if (answer.has("error")) throw new Error(answer.get("error_description") ?? answer.get("error"));
  const result = await call("/v1/accounts:signInWithIdp", {
    requestUri, sessionId: flow.verifier, returnSecureToken: true,
  });
  if (result.needConfirmation) {
    memory.write("pending", { token: result.pendingToken, email: result.email.toLowerCase() });
    const name = [...providers, ...developmentProviders].find(({ id }) => id === result.providerId)?.name ?? result.providerId;
    throw new Error(`${result.email} already has an account. Sign in the way you did before; ${name} is then added to it.`);
  }
  await keep(result);
}

async function refresh() {
  const session = memory.read("session");
  if (session.accessToken) return memory.write("session", await hosted.refresh(session.refreshToken));
  const answer = await call("/v1/token", { grantType: "refresh_token", refreshToken: session.refreshToken });
  memory.write("session", { idToken: answer.id_token, refreshToken: answer.refresh_token });
}

async function remove() {
  await call("/v1/accounts:delete", { idToken: memory.read("session").idToken });
  memory.forget("session");
}

// Only an account whose address is verified has second factors. `step` gets the ID token and the address, and gives new tokens.
async function enroll(step) {
  const { idToken } = memory.read("session");
  const { email, emailVerified } = (await call("/v1/accounts:lookup", { idToken })).users[0];
  if (email && !emailVerified) {
    await mail("VERIFY_EMAIL", { email, idToken });
    throw new Error("First confirm your address: a mail is on its way.");
  }
  goOn(await step(idToken, email));
}

const goOn = ({ idToken, refreshToken }) => memory.write("session", { idToken, refreshToken });

// A session of the hosted page also lasts in the browser, so it ends there, too.
async function signOut() {
  const session = memory.read("session");
  memory.forget("session");
  if (session.accessToken) location.assign(await hosted.endSession(session.idToken));
}

// The person, as the calls of either way tell it.
async function person(session) {
  if (!session.accessToken) {
    const user = (await call("/v1/accounts:lookup", { idToken: session.idToken })).users[0];
    const provider = decode(session.idToken).firebase.sign_in_provider;
    const name = user.displayName ?? user.email ?? (provider === "anonymous" ? "Guest" : "No name");
    return { name, email: user.email, isVerified: user.emailVerified, badge: provider, source: "accounts:lookup", document: user };
  }
  const user = await hosted.userInfo(session.accessToken);
  const name = user.name ?? user.email ?? "No name";
  return { name, email: user.email, isVerified: user.email_verified, badge: "OpenID Connect", source: "userinfo", document: user };
}

async function show() {
  const session = memory.read("session");
  element("signed-out").hidden = Boolean(session);
  if (!session) {
    element("signed-in").hidden = true;
    return;
  }
  const { name, email, isVerified, badge, source, document: user } = await person(session);
  const claims = decode(session.idToken);
  element("name").textContent = name;
  element("initial").textContent = name.slice(0, 1).toUpperCase();
  element("address").textContent = email ? `${email}, ${isVerified ? "verified" : "not verified"}` : "no e-mail address";
  element("badge").textContent = badge;
  element("source").textContent = source;
  for (const name of ["delete", "enroll", "enroll-phone", "add-passkey"]) element(name).hidden = Boolean(session.accessToken) || offers[name] === false;
  element("account").textContent = JSON.stringify(user, null, 2);
  element("claims").textContent = JSON.stringify(claims, null, 2);
  element("token").textContent = session.idToken;
  element("expiry").textContent = `expires ${new Date(claims.exp * 1000).toLocaleTimeString()}`;
  element("signed-in").hidden = false;
  document.body.dataset.state = "signed-in";
}

// Runs a step, then shows the new state; an error is shown on the page.
async function attempt(step) {
  const buttons = document.querySelectorAll("button:not(#sign-out)");
  element("notice").hidden = element("mailed").hidden = true;
  buttons.forEach((button) => { button.disabled = true; });
  try {
    await step();
    await show();
  } catch (error) {
    element("notice").textContent = error.message;
    element("notice").hidden = false;
    if (/^(TOKEN_EXPIRED|USER_NOT_FOUND|USER_DISABLED|INVALID_ID_TOKEN|invalid_grant|Bearer)/.test(error.message)) memory.forget("session");
    element("signed-out").hidden = Boolean(memory.read("session"));
    element("signed-in").hidden = !memory.read("session");
  }
  buttons.forEach((button) => { button.disabled = false; });
}

// A button in the colours of the provider's brand: the server says its mark and colours.
function button({ id, mark, light, dark }, text) {
  const made = document.createElement("button");
  made.innerHTML = mark ?? "";
  made.append(text);
  const colors = matchMedia("(prefers-color-scheme: dark)").matches ? dark : light;
  for (const [part, color] of Object.entries(colors ?? {})) made.style.setProperty(`--${part}`, color);
  return Object.assign(made, { id: `at-${id}`, className: "provider", onclick: () => attempt(() => signInAt(id)) });
}
element("providers").append(...providers.map((provider) => button(provider, `Sign in with ${provider.name}`)));
// Development mode has a page of its own for every provider that the project does not configure. These are the best known.
const wellKnown = ["google.com", "microsoft.com", "apple.com", "facebook.com", "github.com"];
const madeUp = wellKnown.flatMap((id) => developmentProviders.filter((provider) => provider.id === id));
element("made-up").append(...madeUp.map((provider) => button(provider, provider.name)));
element("made-up").hidden = madeUp.length === 0;
element("password").hidden = !methods.password && !methods.emailLink;
for (const name of ["secret", "enter", "join", "reset"]) element(name).hidden = !methods.password;
element("link").hidden = !methods.emailLink;
element("guest").hidden = !methods.anonymous;
element("phone").hidden = !methods.phone;
element("by-passkey").hidden = !offers["add-passkey"];
const submits = {
  enter: async () => keep(await call("/v1/accounts:signInWithPassword", typed())),
  join: async () => keep(await call("/v1/accounts:signUp", typed())),
  reset: () => mail("PASSWORD_RESET"),
  link: () => mail("EMAIL_SIGNIN"),
};
element("password").onsubmit = (event) => {
  event.preventDefault();
  attempt(submits[event.submitter.id]);
};
element("hosted").hidden = !hosted;
element("at-hosted").onclick = () => attempt(signInHosted);
element("guest").onclick = () => attempt(async () => keep(await call("/v1/accounts:signUp", { returnSecureToken: true })));
element("refresh").onclick = () => attempt(refresh);
element("enroll").onclick = () => attempt(() => enroll((idToken, email) => secondFactor.enroll(idToken, email)));
element("enroll-phone").onclick = () => attempt(() => enroll((idToken) => secondFactor.enrollPhone(idToken)));
element("add-passkey").onclick = () => attempt(async () => goOn(await addPasskey(call, memory.read("session").idToken)));
element("by-passkey").onclick = () => attempt(async () => keep(await signInWithPasskey(call)));
element("phone").onsubmit = (event) => {
  event.preventDefault();
  attempt(async () => keep(await secondFactor.phone(element("number").value.replace(/[ ()-]/g, ""))));
};
element("delete").onclick = () => attempt(remove);
// A step that is left first shows what became of it.
element("sign-out").onclick = () => { secondFactor.leave(); setTimeout(() => attempt(signOut)); };
await attempt(finish);
