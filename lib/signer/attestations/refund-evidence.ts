// Evidence: facts that the watcher knows from the chain, carried to the signer under a MAC. A compromised web process
// can therefore neither name a destination nor declare an attempt lapsed. Pure. Only the worker and the signer have the
// key, EVIDENCE_KEY.

import { isMac, makeMac, type MacKeys } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

/**
 * Why an address may be paid, attested by the watcher with a key that the web process does not have. `payer` is the
 * sender of a recorded transfer, `claim` an address that the customer confirmed, `payout` a store's own address after its
 * delay, `cold` the operator's cold wallet. `reference` names the transfer, the claim or the address. `session` names what the signer sums: a session, a
 * session's payments in one token (assetEvidence), a transfer, or a store's payouts of one token (payoutEvidence).
 * `mostCents`, decimal text, is the total that may ever be paid under that name.
 */
export type Evidence = {
  readonly kind: 'payer' | 'claim' | 'payout' | 'cold';
  readonly session: string;
  readonly network: string;
  readonly address: string;
  readonly reference: string;
  readonly mostCents: string;
  /** HMAC-SHA256 over all of the above and the environment, in hex. */
  readonly mac: string;
};

/**
 * The outcome of a signed attempt, attested by the watcher from a quorum's finalized view. `lapsed`: not found, and the
 * finalized height (Solana) or block time in Unix seconds (TRON) in `finalized` is past its validity. `reverted`: final
 * without having moved anything, or excluded forever by a final transaction with its nonce.
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
 * The evidence name of a session's payments in one token that is not offered, which can only be refunded in that token.
 * They are summed separately: otherwise the refund of one part would use up what the other part may refund.
 */
export const assetEvidence = (session: string, { network, currency }: Asset): string =>
  `${session}/${network}/${currency}`;

/** The evidence name of what a store's balance of one token on one network pays out. */
export const payoutEvidence = (storeId: string, { network, currency }: Asset): string =>
  `payouts:${storeId}/${network}/${currency}`;

/** The evidence name of a cold transfer: nothing else is summed under it. */
export const coldEvidence = (intentId: string): string => `cold:${intentId}`;

/** The session of an evidence name. Returns any other name unchanged. */
export const sessionOfEvidence = (name: string): string => name.split('/', 1)[0] ?? name;

/** Attests a destination in an environment: the payer of a transfer, or the address of a confirmed claim. */
export const makeEvidence = (keys: MacKeys, environment: Environment, facts: Omit<Evidence, 'mac'>): Evidence => ({
  ...facts,
  mac: makeMac(keys, evidenceParts(environment, facts)).toString('hex'),
});

/** Whether the evidence was made with this key for this environment and is unaltered. */
export const isEvidence = (keys: MacKeys, environment: Environment, evidence: Evidence): boolean =>
  isMac(keys, evidenceParts(environment, evidence), Buffer.from(evidence.mac, 'hex'));

/** Attests the outcome of an attempt. */
export const makeOutcome = (keys: MacKeys, environment: Environment, facts: Omit<Outcome, 'mac'>): Outcome => ({
  ...facts,
  mac: makeMac(keys, outcomeParts(environment, facts)).toString('hex'),
});

/** Whether the outcome was attested with this key for this environment and is unaltered. */
export const isOutcome = (keys: MacKeys, environment: Environment, outcome: Outcome): boolean =>
  isMac(keys, outcomeParts(environment, outcome), Buffer.from(outcome.mac, 'hex'));

const evidenceParts = (environment: Environment, facts: Omit<Evidence, 'mac'>): readonly string[] => [
  'stabletill evidence 1',
  environment,
  facts.kind,
  facts.session,
  facts.network,
  facts.address,
  facts.reference,
  facts.mostCents,
];

const outcomeParts = (environment: Environment, facts: Omit<Outcome, 'mac'>): readonly string[] => [
  'stabletill outcome 1',
  environment,
  facts.intentId,
  facts.network,
  facts.hash,
  facts.outcome,
  String(facts.finalized),
];
