// What paying on one network of one environment needs: the chain, the signer, the key that attests a destination, and the intervals at
// which a refund is checked. A refund that a worker is processing is a `Work`.

import { FAMILIES } from '@/lib/networks/families/family';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender, PaymentOrder } from '@/lib/networks/sending/send';
import { SendHold } from '@/lib/networks/sending/send';
import { ChainError } from '@/lib/networks/chain';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { SignerClient } from '@/lib/signer/client';
import type { AddressSource } from '@/lib/treasury/wallets/address-source';
import { idleKeepingHold, idleUntil, type Hold } from './lease';
import { DESTINATION_NEEDED } from '@/lib/refunds/customer-address/claim-links';
import type { findDestination } from '@/lib/refunds/destination/destination';
import { holdSentence, type HoldCode } from '@/lib/refunds/holds';
import type { LeasedRefund } from '@/lib/refunds/rows';
import type { Verdict } from '@/lib/refunds/recovery/signer-check';
import type { WalletCheck } from '@/lib/refunds/wallet-check/check';

/** The signer calls that payments use. */
export type RefundSigning = Pick<SignerClient, 'sign' | 'attempts' | 'release' | 'freeze' | 'state'>;

/** Everything that the refund wallet needs to pay on one chain. */
export type SendingContext = {
  readonly environment: Environment;
  readonly network: string;
  readonly spec: NetworkSpec;
  readonly sender: ChainSender;
  /** Identity of the chain behind the endpoints. Throws a ChainError. */
  readonly genesis: () => Promise<string>;
  /** Null where the settings lack a signer or the evidence key. Then no refund is paid and none fails. */
  readonly signer: { readonly calls: RefundSigning; readonly evidenceKey: Uint8Array } | null;
  /** Distinguishes the wallet's deposit addresses from addresses that an attacker wrote into the database. */
  readonly deposits: Pick<AddressSource, 'owns'> | null;
  readonly findDestination: typeof findDestination;
  /** Whether signatures may be requested now (signer-check.ts); checked before each request. */
  readonly check?: (context: Context) => Promise<Verdict>;
  /** Only for networks without account nonces (wallet-check). */
  readonly walletCheck?: WalletCheck | undefined;
  readonly intervals: Intervals;
};

/** In milliseconds. */
export type Intervals = {
  /** How long a worker may be silent about a refund before another takes it. */
  readonly lease: number;
  /** The interval between checks of a sent transaction: while it is recent, and later when it is old. */
  readonly recent: number;
  readonly old: number;
  /** The bounds of the interval between checks of a refund on hold. */
  readonly leastHold: number;
  readonly mostHold: number;
  /** How long a transaction may stay out of blocks before the worker offers a higher fee. */
  readonly replaceAfter: number;
  /** Between the two checks that must both find that an attempt lapsed, before the next one is drafted. */
  readonly secondCheck: number;
};

const PUBLIC: Intervals = {
  lease: 60_000,
  recent: 3000,
  old: 15_000,
  leastHold: 5000,
  mostHold: 300_000,
  replaceAfter: 120_000,
  secondCheck: 120_000,
};
/** Requests to a local chain cost nothing, and a developer is waiting. */
const LOCAL: Intervals = {
  lease: 8000,
  recent: 300,
  old: 1000,
  leastHold: 1000,
  mostHold: 4000,
  replaceAfter: 20_000,
  secondCheck: 0,
};

export const intervalsOf = ({ chain }: NetworkSpec): Intervals => (chain === 'local' ? LOCAL : PUBLIC);

/** A refund that a worker holds. `chainId`: the row of the chain that is followed now. */
export type Work = {
  readonly context: Context;
  readonly sending: SendingContext;
  readonly chainId: number;
  readonly refund: LeasedRefund;
};

/** The payment of a refund. Its amount is whole cents of the token. */
export function orderFor({ sending, refund }: Work, to: string): PaymentOrder {
  const token = sending.spec.tokens[refund.currency];
  if (!token) throw new Error(`there is no ${refund.currency} on ${sending.network}, and refund ${refund.id} is in it`);
  const address = FAMILIES[sending.spec.family].storedAddress(to);
  const amount = centsToBaseUnits(refund.amount, token.decimals);
  return { intentId: refund.id, currency: refund.currency, contract: token.contract, to: address, amount };
}

export const laterBy = ({ context }: Work, milliseconds: number): Date =>
  new Date(context.clock.now().getTime() + milliseconds);

/** Leaves the refund idle for this long, without a hold. */
export const idleFor = (work: Work, milliseconds: number): Promise<void> =>
  idleUntil(work.context, work.refund, laterBy(work, milliseconds), null);

/**
 * Outages that end without an operator. A refund that waits for its customer keeps that hold during an outage, so that the claim link stays
 * open. After the signature request the link is closed, and the refund gets the hold of the outage, because other refunds wait for its
 * draft or nonce.
 */
const OUTAGES: ReadonlySet<string> = new Set<HoldCode>(['signer_unavailable', 'frozen', 'chain_unavailable']);

/** Holds that are logged as errors, because no refund in the token can be paid on the whole network. */
const ALARMS: ReadonlySet<string> = new Set<HoldCode>(['token_paused', 'wallet_blocked']);

/**
 * The factor by which the pauses of these holds may exceed those of other holds: an hour and six hours on public networks. One store can
 * make thousands of refunds wait for any of these.
 */
const [AN_HOUR, SIX_HOURS] = [12, 72];
const LONGER = new Map<string, number>([
  // Each check of these makes a draft.
  ['limit', AN_HOUR],
  ['account_limit', SIX_HOURS],
  // The decision that ends one of these makes the refund due.
  ['destination_needed', SIX_HOURS],
  ['address_unconfirmed', SIX_HOURS],
  ['approval_needed', SIX_HOURS],
] satisfies [HoldCode, number][]);

/** Puts the refund on hold. The longer the hold lasts, the longer the pause before the next check. */
export async function putOnHold(work: Work, hold: Hold): Promise<void> {
  const { context, sending, refund } = work;
  const isKept = refund.hold === DESTINATION_NEEDED && refund.signatureRequestedAt === null && OUTAGES.has(hold.code);
  const code = isKept ? DESTINATION_NEEDED : hold.code;
  const isSame = refund.hold === code && refund.heldAt !== null;
  const lasted = isSame ? context.clock.now().getTime() - (refund.heldAt?.getTime() ?? 0) : 0;
  const pause = Math.min(
    sending.intervals.mostHold * (LONGER.get(code) ?? 1),
    Math.max(sending.intervals.leastHold, lasted / 2),
  );
  if (isKept) return idleKeepingHold(context.pool, refund, laterBy(work, pause));
  if (!isSame) {
    const about = { refundId: refund.id, hold: hold.code, network: sending.network, currency: refund.currency };
    context.log[ALARMS.has(hold.code) ? 'error' : 'warn'](about, hold.message);
  }
  await idleUntil(context, refund, laterBy(work, pause), hold);
}

export const holdOf = (code: HoldCode): Hold => ({ code, message: holdSentence(code) });

/** The hold for an error of a chain; null for any other error. */
export function chainHold(error: unknown): Hold | null {
  if (error instanceof SendHold) return { code: error.reason, message: asSentence(error.message) };
  if (!(error instanceof ChainError)) return null;
  const hold = holdOf('chain_unavailable');
  // Only a person can end it, by checking the named endpoint.
  return error.fault === 'contradiction' ? { ...hold, message: asSentence(error.message) } : hold;
}

/** Turns `the issuer has …` into a sentence. */
export const asSentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
