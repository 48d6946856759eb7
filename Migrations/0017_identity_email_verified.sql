-- The provider's word on an identity's address, so that the development page offers a person again as the developer made them up.
ALTER TABLE identities
    -- What the provider said when the person last signed in; false where no sign-in came since this column is there.
    ADD COLUMN email_verified boolean NOT NULL DEFAULT false;
