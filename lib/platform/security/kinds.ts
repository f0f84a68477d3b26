// The kinds of security events: refusals that an attack causes in numbers. Each has the number an hour that raises an alarm.

/** `null`: counted and shown, but never a reason for an alarm. */
export const ALARM_AT = {
  /** A wrong password, an unknown account or a wrong passkey at the sign-in. A hundred an hour is credential stuffing. */
  sign_in_failed: 100,
  /** The password was right and the second factor was not: somebody has a password that leaked. */
  factor_failed: 30,
  /** A signed-in person could not show their password or second factor again. */
  step_up_failed: 30,
  /** Unknown, revoked, or used from an address that is not on the key's list. A broken program of one merchant sends hundreds. */
  api_key_refused: 1000,
  /** A known key with a wrong signature. */
  signature_refused: 1000,
  /** Version 1 of the signature, from a key that requires version 2: an old program of the merchant, or a downgrade. */
  signature_version_refused: 1000,
  nonce_replayed: 200,
  /** A request that changes something and did not come from a page of this service. */
  csrf_refused: 100,
  /** A signed-in account asked for what its role, its second factor or its stores do not allow. A stale page causes a few. */
  permission_refused: 100,
  /** A webhook address that leads into a private network. */
  address_refused: 30,
  /** An address or account that has to wait because it failed too often. Scanners cause some every day. */
  locked_out: 500,
  /** A browser that wanted to name a refund address for a payment that another browser made. */
  payer_refused: 50,
  /** A signature for a refund address that is malformed, too old, or not of the wallet that paid. */
  wallet_signature_refused: 50,
  /** A browser reported that a page broke its Content-Security-Policy. Anybody can forge these reports. */
  policy_violated: 500,
} as const satisfies Record<string, number | null>;

export type SecurityKind = keyof typeof ALARM_AT;
export const SECURITY_KINDS = Object.keys(ALARM_AT) as readonly SecurityKind[];

/** The subject that stands for all those that were too many to count by name. */
export const OTHERS = 'others';

/** What a count is about: `all` of a kind, or one address group, account, API key, store, or kind of page and directive. */
export type SecuritySubject = 'all' | 'address' | 'account' | 'key' | 'store' | 'policy';
