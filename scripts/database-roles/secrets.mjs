// The columns that the read-only role does not see.

/** Columns hidden from the read-only role: they give access to accounts, keys, links and mails. */
export const SECRETS = {
  account_links: 'token_hash',
  api_keys: 'key_hash secret_ciphertext',
  logins: 'token_hash',
  mails: 'body',
  passkey_challenges: 'challenge_hash',
  payer_browsers: 'browser',
  payout_addresses: 'stop_hash',
  recovery_codes: 'code_hash',
  refunds: 'claim_hash claim_ciphertext',
  users: 'password_hash totp_ciphertext',
  webhook_endpoints: 'secret_ciphertext previous_secret_ciphertext',
};
