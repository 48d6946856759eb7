#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* EVP_PKEY_PUBLIC_KEY is a macro made of macros, which Swift does not import. */
static const int COpenSSL_publicKeySelection = EVP_PKEY_PUBLIC_KEY;
