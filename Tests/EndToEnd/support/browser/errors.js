// The error monitor of an app's page: it keeps uncaught errors, even after the page has ended. No sign-in may leave any error here.
"use strict";
{
  const keep = (text) => {
    const kept = JSON.parse(sessionStorage.getItem("thrown") ?? "[]");
    sessionStorage.setItem("thrown", JSON.stringify([...kept, String(text)]));
  };
  window.addEventListener("error", (event) => keep(event.message));
  window.addEventListener("unhandledrejection", (event) => keep(event.reason?.message ?? event.reason));
}
