// A website that signs people in with github.com/coreos/go-oidc, as Debian packages it. It keeps one session for each visitor in memory.
//
// Environment: ISSUER, CLIENT_ID, CLIENT_SECRET, ADDRESS (host:port of this website), CERTIFICATE (a PEM file with certificate and key), and
// SSL_CERT_FILE, by which Go's own TLS knows the provider's certificate authority.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

type session struct {
	state, nonce, verifier string
	token                  *oauth2.Token
	idToken                string
}

type website struct {
	origin, endSession string
	provider           *oidc.Provider
	verifier           *oidc.IDTokenVerifier
	config             oauth2.Config
	lock               sync.Mutex
	sessions           map[string]*session
}

func main() {
	address := os.Getenv("ADDRESS")
	provider, err := oidc.NewProvider(context.Background(), os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		log.Fatal(err)
	}
	site := &website{
		origin:     "https://" + address,
		endSession: metadata.EndSession,
		provider:   provider,
		verifier:   provider.Verifier(&oidc.Config{ClientID: os.Getenv("CLIENT_ID")}),
		config: oauth2.Config{
			ClientID:     os.Getenv("CLIENT_ID"),
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint:     provider.Endpoint(),
			RedirectURL:  "https://" + address + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
		},
		sessions: map[string]*session{},
	}
	http.HandleFunc("/sign-in", site.signIn)
	http.HandleFunc("/callback", site.callback)
	http.HandleFunc("/me", site.me)
	http.HandleFunc("/refresh", site.refresh)
	http.HandleFunc("/sign-out", site.signOut)
	http.HandleFunc("/signed-out", site.signedOut)
	certificate := os.Getenv("CERTIFICATE")
	log.Fatal(http.ListenAndServeTLS(address, certificate, certificate, nil))
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// The session of the browser's cookie, nil when there is none.
func (site *website) session(r *http.Request) *session {
	cookie, err := r.Cookie("session")
	if err != nil {
		return nil
	}
	site.lock.Lock()
	defer site.lock.Unlock()
	return site.sessions[cookie.Value]
}

func (site *website) signIn(w http.ResponseWriter, r *http.Request) {
	made := &session{state: random(), nonce: random(), verifier: random()}
	id := random()
	site.lock.Lock()
	site.sessions[id] = made
	site.lock.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
	challenge := sha256.Sum256([]byte(made.verifier))
	http.Redirect(w, r, site.config.AuthCodeURL(made.state, oidc.Nonce(made.nonce),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256")), http.StatusFound)
}

func (site *website) callback(w http.ResponseWriter, r *http.Request) {
	session := site.session(r)
	query := r.URL.Query()
	if session == nil || query.Get("state") != session.state {
		http.Error(w, "another state", http.StatusBadRequest)
		return
	}
	if query.Get("error") != "" {
		http.Error(w, query.Get("error")+": "+query.Get("error_description"), http.StatusForbidden)
		return
	}
	token, err := site.config.Exchange(r.Context(), query.Get("code"), oauth2.SetAuthURLParam("code_verifier", session.verifier))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if err := site.take(r.Context(), session, token, session.nonce); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, "/me", http.StatusFound)
}

// Checks the ID token of an answer, and keeps the answer. An answer to a refresh need not repeat the nonce.
func (site *website) take(ctx context.Context, session *session, token *oauth2.Token, nonce string) error {
	raw, _ := token.Extra("id_token").(string)
	idToken, err := site.verifier.Verify(ctx, raw)
	if err != nil {
		return err
	}
	if idToken.Nonce != nonce && nonce != "" {
		return errors.New("another nonce")
	}
	if err := idToken.VerifyAccessToken(token.AccessToken); err != nil {
		return err
	}
	site.lock.Lock()
	defer site.lock.Unlock()
	session.token, session.idToken = token, raw
	return nil
}

// Answers with what the ID token and the userinfo endpoint say.
func (site *website) me(w http.ResponseWriter, r *http.Request) {
	session := site.session(r)
	if session == nil || session.token == nil {
		http.Error(w, "not signed in", http.StatusUnauthorized)
		return
	}
	idToken, err := site.verifier.Verify(r.Context(), session.idToken)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	answer := map[string]interface{}{"access_token": session.token.AccessToken, "refresh_token": session.token.RefreshToken}
	claims, profile := map[string]interface{}{}, map[string]interface{}{}
	info, err := site.provider.UserInfo(r.Context(), oauth2.StaticTokenSource(session.token))
	if err == nil {
		err = idToken.Claims(&claims)
	}
	if err == nil {
		err = info.Claims(&profile)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	answer["id_token"], answer["userinfo"] = claims, profile
	answer["subject"], answer["email"], answer["email_verified"] = info.Subject, info.Email, info.EmailVerified
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		log.Print(err)
	}
}

// Lets the library refresh, by an access token that has expired for it.
func (site *website) refresh(w http.ResponseWriter, r *http.Request) {
	session := site.session(r)
	if session == nil || session.token == nil {
		http.Error(w, "not signed in", http.StatusUnauthorized)
		return
	}
	expired := &oauth2.Token{RefreshToken: session.token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}
	token, err := site.config.TokenSource(r.Context(), expired).Token()
	if err == nil {
		err = site.take(r.Context(), session, token, "")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, "/me", http.StatusFound)
}

func (site *website) signOut(w http.ResponseWriter, r *http.Request) {
	session := site.session(r)
	if session == nil {
		http.Error(w, "not signed in", http.StatusUnauthorized)
		return
	}
	session.token, session.state = nil, random()
	query := url.Values{"id_token_hint": {session.idToken}, "post_logout_redirect_uri": {site.origin + "/signed-out"}, "state": {session.state}}
	http.Redirect(w, r, site.endSession+"?"+query.Encode(), http.StatusFound)
}

func (site *website) signedOut(w http.ResponseWriter, r *http.Request) {
	session := site.session(r)
	if session == nil || r.URL.Query().Get("state") != session.state {
		http.Error(w, "another state", http.StatusBadRequest)
		return
	}
	if _, err := w.Write([]byte("signed out\n")); err != nil {
		log.Print(err)
	}
}
