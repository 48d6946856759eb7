// The app's page: makes the client that its address asks for, and notes what becomes of every sign-in in `window.outcome`.
"use strict";
const wish = Object.fromEntries(new URLSearchParams(location.search));
window.outcome = undefined;

const noted = (work) => work.then(
  (result) => { window.outcome = { result }; },
  (error) => { window.outcome = { error: error.code ?? String(error), detail: String(error.message) }; });

if (wish.client) {
  window.client = makeClient({
    apiKey: wish.apiKey ?? "demo-api-key", appName: wish.appName, authDomain: wish.authDomain, emulator: wish.emulator,
  });
  window.act = (via, action, options) => { window.outcome = undefined; noted(client[via](action, options)); };
  window.returned = client.result();
  window.returned.then((result) => { if (result) window.outcome = { result }; }, (error) => noted(Promise.reject(error)));
}
