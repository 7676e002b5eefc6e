-- E-mail addresses are compared as src/domain/email-address.ts does, whatever the locale of the database. What differs by the letters
-- of ASCII differed before, so no two rows become equal.
DROP INDEX accounts_email;
CREATE UNIQUE INDEX accounts_email ON accounts (lower(email COLLATE "C"));
