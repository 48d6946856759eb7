// The app's page: makes the client that its address asks for, or takes the `auth` that the page made, and notes what becomes of every
// sign-in.
//   window.outcome   { result } or { error } of the latest sign-in, be it by pop-up or by a redirect that came back
//   window.settled   the same of the question whether a redirect came back; its result may be null
"use strict";
const wish = Object.fromEntries(new URLSearchParams(location.search));
window.outcome = undefined;

const noted = (work) => work.then(
  (result) => { window.outcome = { result }; },
  (error) => { window.outcome = { error: error.code ?? String(error), detail: String(error.message) }; });

if (window.auth) window.client = clientOf(window.auth);
else if (wish.client) {
  window.client = makeClient({
    apiKey: wish.apiKey ?? "demo-api-key", appName: wish.appName,
    authDomain: wish.authDomain ?? "unused", apiHost: wish.apiHost ?? wish.authDomain, emulator: wish.emulator,
  });
}
if (window.client) {
  window.act = (via, action, options) => { window.outcome = undefined; noted(client[via](action, options)); };
  client.result().then((result) => {
    window.settled = { result };
    if (result) window.outcome = { result };
  }, (error) => {
    window.settled = { error: error.code ?? String(error) };
    noted(Promise.reject(error));
  });
}
