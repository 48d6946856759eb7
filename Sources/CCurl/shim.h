// libcurl takes its options through C variadics, which Swift cannot call. Each wrapper below has one form of such a call. The option
// decides the type of the one argument, so there is one wrapper for each type.
#pragma once
#include <curl/curl.h>

// Numbers and switches: CURLOPTTYPE_LONG.
static inline CURLcode curl_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// Sizes: CURLOPTTYPE_OFF_T, 64 bits wide even where long is not.
static inline CURLcode curl_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// Text, which libcurl copies: CURLOPTTYPE_STRINGPOINT.
static inline CURLcode curl_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

// The data for a callback, the list of header fields, the error buffer: CURLOPTTYPE_CBPOINT, _SLISTPOINT, _OBJECTPOINT.
static inline CURLcode curl_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

// CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION: bytes from libcurl to us.
static inline CURLcode curl_easy_set_sink(CURL *easy, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(easy, option, function);
}

// CURLOPT_READFUNCTION: the request's body from us to libcurl.
static inline CURLcode curl_easy_set_source(CURL *easy, curl_read_callback function) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
}

// CURLOPT_SEEKFUNCTION: asked before a body is sent a second time.
static inline CURLcode curl_easy_set_seek(CURL *easy, curl_seek_callback function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

// CURLOPT_OPENSOCKETFUNCTION: gets the resolved address before libcurl connects to it.
static inline CURLcode curl_easy_set_open_socket(CURL *easy, curl_opensocket_callback function) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

// Answers that are a long: the status code.
static inline CURLcode curl_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

// CURLINFO_CERTINFO: what the other side showed of itself, where CURLOPT_CERTINFO asks for it. libcurl keeps the memory.
static inline CURLcode curl_easy_get_certificates(CURL *easy, struct curl_certinfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, value);
}

static inline CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

// CURLMOPT_SOCKETFUNCTION: tells which descriptors to watch for which events.
static inline CURLMcode curl_multi_set_socket_function(CURLM *multi, curl_socket_callback function) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

// CURLMOPT_TIMERFUNCTION: tells when to call libcurl even if no descriptor is ready.
static inline CURLMcode curl_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}
