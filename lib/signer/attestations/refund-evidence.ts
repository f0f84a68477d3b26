// Evidence: what the watcher process knows from the chain, carried to the signer under a MAC, so that whoever takes over the
// web process can name no destination of their own and declare nothing lapsed. Pure. The key is EVIDENCE_KEY in the settings
// of the worker and of the signer, and of nobody else.

import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

/**
 * Why an address may be paid. Made by the watcher process with a key that web does not have: `payer` for the sender of a
 * recorded transfer, `claim` for an address that the customer confirmed. `reference` names the transfer or the claim;
 * `session` names what the signer adds up: a session, a session's payments in one token (assetEvidence), or a transfer.
 * `mostCents`, decimal text, is all that may ever be refunded under that name.
 */
export type Evidence = {
  readonly kind: 'payer' | 'claim';
  readonly session: string;
  readonly network: string;
  readonly address: string;
  readonly reference: string;
  readonly mostCents: string;
  /** HMAC-SHA256 over all of the above and the environment, in hex. */
  readonly mac: string;
};

/**
 * What became of a signed attempt, stated by the watcher from a quorum's finalized view. `lapsed`: not found, and the
 * finalized height (Solana) or block time in Unix seconds (TRON) in `finalized` is beyond its validity. `reverted`: found
 * final without having moved anything, or kept out of the chain for ever by a final transaction with its nonce.
 */
export type Outcome = {
  readonly intentId: string;
  readonly network: string;
  readonly hash: string;
  readonly outcome: 'lapsed' | 'reverted';
  readonly finalized: number;
  /** HMAC-SHA256 over all of the above and the environment, in hex. */
  readonly mac: string;
};

type Asset = { readonly network: string; readonly currency: string };

/**
 * The name of a session's payments in one token that is not offered, which pay back nothing but themselves. They are added up apart
 * from all others: otherwise the refund of one part would use up what the other part may pay back.
 */
export const assetEvidence = (session: string, { network, currency }: Asset): string =>
  `${session}/${network}/${currency}`;

/** The session of a name; any other name as it is. */
export const sessionOfEvidence = (name: string): string => name.split('/', 1)[0] ?? name;

/** Vouches for a destination in an environment: the payer of a transfer, or the address of a confirmed claim. */
export const makeEvidence = (key: Uint8Array, environment: Environment, said: Omit<Evidence, 'mac'>): Evidence => ({
  ...said,
  mac: evidenceMac(key, environment, said).toString('hex'),
});

/** Whether the evidence was made with this key for this environment, unaltered. */
export const isEvidence = (key: Uint8Array, environment: Environment, evidence: Evidence): boolean =>
  sameBytes(evidenceMac(key, environment, evidence), Buffer.from(evidence.mac, 'hex'));

/** States what became of an attempt. */
export const makeOutcome = (key: Uint8Array, environment: Environment, said: Omit<Outcome, 'mac'>): Outcome => ({
  ...said,
  mac: outcomeMac(key, environment, said).toString('hex'),
});

/** Whether the outcome was stated with this key for this environment, unaltered. */
export const isOutcome = (key: Uint8Array, environment: Environment, outcome: Outcome): boolean =>
  sameBytes(outcomeMac(key, environment, outcome), Buffer.from(outcome.mac, 'hex'));

const evidenceMac = (key: Uint8Array, environment: Environment, said: Omit<Evidence, 'mac'>): Buffer =>
  macOf(key, [
    'stabletill evidence 1',
    environment,
    said.kind,
    said.session,
    said.network,
    said.address,
    said.reference,
    said.mostCents,
  ]);

const outcomeMac = (key: Uint8Array, environment: Environment, said: Omit<Outcome, 'mac'>): Buffer =>
  macOf(key, [
    'stabletill outcome 1',
    environment,
    said.intentId,
    said.network,
    said.hash,
    said.outcome,
    String(said.finalized),
  ]);
