// The kinds of security events: refusals that an attack causes in large numbers. Each has the hourly number that raises an
// alarm.

/** `null`: counted and shown, but never alarmed. */
export const ALARM_AT = {
  /** A wrong password, an unknown account or a wrong passkey at the sign-in. A hundred an hour is credential stuffing. */
  sign_in_failed: 100,
  /** The password was right and the second factor was wrong: the password may have leaked. */
  factor_failed: 30,
  /** A signed-in person failed to confirm their password or second factor. */
  step_up_failed: 30,
  /** Unknown, revoked, or used from an address that is not on the key's list. A broken program of one merchant sends hundreds. */
  api_key_refused: 1000,
  /** A known key with a wrong signature. */
  signature_refused: 1000,
  /** Version 1 of the signature, from a key that requires version 2: an old program of the merchant, or a downgrade. */
  signature_version_refused: 1000,
  nonce_replayed: 200,
  /** A request that changes data and did not come from a page of this service. */
  csrf_refused: 100,
  /** A signed-in account requested something that its role, second factor or stores do not allow. A stale page causes a few. */
  permission_refused: 100,
  /** A webhook address that leads into a private network. */
  address_refused: 30,
  /** An address or account that must wait after too many failures. Scanners cause some every day. */
  locked_out: 500,
  /** A browser tried to name a refund address for a payment that another browser made. */
  payer_refused: 50,
  /** A signature for a refund address that is malformed, too old, or not from the wallet that paid. */
  wallet_signature_refused: 50,
  /** A browser reported that a page violated its Content-Security-Policy. Anyone can forge these reports. */
  policy_violated: 500,
} as const satisfies Record<string, number | null>;

export type SecurityKind = keyof typeof ALARM_AT;
export const SECURITY_KINDS = Object.keys(ALARM_AT) as readonly SecurityKind[];

/** Stands for all subjects beyond those that are counted by name. */
export const OTHERS = 'others';

/** The subject of a count: `all` of a kind, or one address group, account, API key, store, or kind of page and directive. */
export type SecuritySubject = 'all' | 'address' | 'account' | 'key' | 'store' | 'policy';
