// What paying on one network of one environment needs: the chain, the signer, the key that attests a destination, and the intervals at
// which a payment is checked. A payment that a worker is processing is a `Work`.

import { FAMILIES } from '@/lib/networks/families/family';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender, Drafted, PaymentOrder } from '@/lib/networks/sending/send';
import type { Db, Tx } from '@/lib/platform/database/db';
import type { SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { SendHold } from '@/lib/networks/sending/send';
import { ChainError } from '@/lib/networks/chain';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { SignerClient, SignerState } from '@/lib/signer/client';
import type { AddressSource } from '@/lib/treasury/wallets/address-source';
import { idleKeepingHold, idleUntil, type Hold } from './lease';
import { DESTINATION_NEEDED } from '@/lib/refunds/customer-address/claim-links';
import type { findDestination } from '@/lib/refunds/destination/destination';
import type { Intervals } from './intervals';
import { holdSentence, type HoldCode } from '@/lib/refunds/holds';
import type { Destination, LeasedPayment, LeasedRefund } from '@/lib/refunds/rows';
import type { Verdict } from '@/lib/refunds/recovery/signer-check';
import type { WalletCheck } from '@/lib/refunds/wallet-check/check';

/** The signer calls that payments use. */
export type RefundSigning = Pick<SignerClient, 'sign' | 'attempts' | 'release' | 'freeze' | 'state'> &
  // Only for batches.
  Partial<Pick<SignerClient, 'signBatch' | 'allow' | 'lastAllowance'>>;

/** Everything that the refund wallet needs to pay on one chain. */
export type SendingContext = {
  readonly environment: Environment;
  readonly network: string;
  readonly spec: NetworkSpec;
  readonly sender: ChainSender;
  /** Identity of the chain behind the endpoints. Throws a ChainError. */
  readonly genesis: () => Promise<string>;
  /** Null where the settings lack a signer or the evidence key. Then nothing is paid and nothing fails. */
  readonly signer: { readonly calls: RefundSigning; readonly evidenceKey: MacKeys } | null;
  /** Distinguishes the wallet's deposit addresses from addresses that an attacker wrote into the database. */
  readonly deposits: Pick<AddressSource, 'owns'> | null;
  readonly findDestination: typeof findDestination;
  /** Whether signatures may be requested now (signer-check.ts); checked before each request. */
  readonly check?: (context: Context, use?: { readonly isSigning: boolean }) => Promise<Verdict>;
  /** Only for networks without account nonces (wallet-check). */
  readonly walletCheck?: WalletCheck | undefined;
  readonly intervals: Intervals;
};

/** A payment that a worker holds. `chainId`: the row of the chain that is followed now. */
export type Work<P extends LeasedPayment = LeasedPayment> = {
  readonly context: Context;
  readonly sending: SendingContext;
  readonly chainId: number;
  readonly payment: P;
  readonly rules: PaymentRules<P>;
  /** Cents of other payouts of its store that are drafted in one batch with it. */
  readonly together?: bigint;
};

export type RefundWork = Work<LeasedRefund>;

/** As in Evidence: the name under which the signer adds up, and the most that may ever be paid under it. */
export type Bound = { readonly session: string; readonly mostCents: string };

/** `fee`: what the network took, where that is known. */
type Completion = { readonly hash: string; readonly fee: bigint | undefined; readonly now: Date };
type Failure = { readonly reason: string; readonly fee?: bigint | undefined; readonly now: Date };

/**
 * Where a rule returns null or false for "not now", it has put the payment on hold or left it idle. Rules may throw AddressSourceError when
 * the signer does not answer.
 */
export interface PaymentRules<P extends LeasedPayment = LeasedPayment> {
  /** Whether a payment on hold still has to wait, by the database alone; null when it should be drafted. */
  remainingHold(work: Work<P>): Promise<Hold | null>;
  /** Where the payment goes now. `wallet`: the address that it is paid from. */
  chooseDestination(work: Work<P>, wallet: string): Promise<Destination | null>;
  /** Whether the stored destination may be sent to the signer: the worker chose it, or the signer has signed this payment before. */
  isProven(work: Work<P>): Promise<boolean>;
  /** Whether the payment needs no approval of operators, or has it. `declined`: operators ended it, so it fails. */
  isApproved(work: Work<P>, destination: Destination, state: SignerState): Promise<boolean | 'declined'>;
  /** Whether hits of the screening froze money that it would take. `db`: a transaction, right before the signature is requested. */
  isMoneyFrozen(db: Db, work: Work<P>): Promise<boolean>;
  /** Whether facts that the web process cannot write cover the payment; null while they are being read, and the payment is left idle. */
  isBacked(work: Work<P>, key: MacKeys): Promise<boolean | null>;
  /** Why it is not covered. */
  unbackedHold(work: Work<P>): Promise<Hold>;
  /** Whether its money is in the asset that is paid, or can be converted now. */
  isConvertible(work: Work<P>): Promise<boolean>;
  /** Reserves what the first draft needs, in the transaction that requests the signature. Returns why that is impossible now, or null. */
  reserve(
    tx: Tx,
    work: Work<P>,
    request: { readonly draft: Drafted; readonly destination: Destination },
  ): Promise<Hold | 'busy' | null>;
  /** What the worker attests to the signer. */
  boundOf(work: Work<P>, key: MacKeys): Promise<Bound>;
  /** The operators' signatures that come with the order. */
  signatures(work: Work<P>, destination: Destination): Promise<readonly SignedApproval[]>;
  /** Records that the signer refused the payment for lack of an approval. */
  recordRefused(
    tx: Tx,
    work: Work<P>,
    destination: Destination,
    refusal: { readonly trouble: string; readonly now: Date },
  ): Promise<void>;
  /** Writes what follows from the payment, in the transaction that completes it. */
  complete(tx: Tx, work: Work<P>, completion: Completion): Promise<void>;
  /** Releases what was reserved, in the transaction that fails it. */
  fail(tx: Tx, work: Work<P>, failure: Failure): Promise<void>;
}

/** The payment's order. Its amount is whole cents of the token. */
export function orderFor({ sending, payment }: Pick<Work, 'sending' | 'payment'>, to: string): PaymentOrder {
  const { id, currency } = payment;
  const token = sending.spec.tokens[currency];
  if (!token) throw new Error(`there is no ${currency} on ${sending.network}, and payment ${id} is in it`);
  const address = FAMILIES[sending.spec.family].storedAddress(to);
  const amount = centsToBaseUnits(payment.amount, token.decimals);
  return { intentId: id, currency, contract: token.contract, to: address, amount };
}

/** How the log names a payment. */
export const namedInLog = ({ table, id }: LeasedPayment): Readonly<Record<string, string>> => ({
  [NAME_OF[table]]: id,
});

const NAME_OF = { refunds: 'refundId', payouts: 'payoutId', cold_transfers: 'coldTransferId' } as const;

export const laterBy = ({ context }: Work, milliseconds: number): Date =>
  new Date(context.clock.now().getTime() + milliseconds);

/** Leaves the payment idle for this long, without a hold. */
export const idleFor = (work: Work, milliseconds: number): Promise<void> =>
  idleUntil(work.context, work.payment, laterBy(work, milliseconds), null);

/**
 * Which outages, a freeze among them, leave which hold as it is. A refund that waits for its customer keeps that hold, so that the claim
 * link stays open. Refusals by simulations stay counted. After the signature request the payment gets the hold of the outage, because other
 * payments wait for its draft or nonce.
 */
const KEPT_DURING = new Map<string | null, ReadonlySet<string>>([
  [DESTINATION_NEEDED, new Set(['signer_unavailable', 'frozen', 'chain_unavailable'])],
  ['reverts', new Set(['signer_unavailable', 'chain_unavailable'])],
] satisfies [HoldCode, Set<HoldCode>][]);

/**
 * The hold that stays during this outage; null when the payment gets the new one. Refusals by simulations do not stay counted when endpoints
 * contradict each other: one of them may have accepted the transfer.
 */
function holdKept({ hold, signatureRequestedAt }: LeasedPayment, { code, isContradiction }: Hold): string | null {
  if (signatureRequestedAt !== null || (hold === 'reverts' && isContradiction)) return null;
  return KEPT_DURING.get(hold)?.has(code) ? hold : null;
}

/** Holds that are logged as errors, because nothing in the token can be paid on the whole network. */
const ALARMS: ReadonlySet<string> = new Set<HoldCode>(['token_paused', 'wallet_blocked']);

/**
 * The factor by which the pauses of these holds may exceed those of other holds: an hour and six hours on public networks. One store can
 * make thousands of payments wait for any of these.
 */
const [AN_HOUR, SIX_HOURS] = [12, 72];
const LONGER = new Map<string, number>([
  // Each check of these makes a draft.
  ['limit', AN_HOUR],
  ['account_limit', SIX_HOURS],
  // The decision that ends one of these makes the payment due.
  ['destination_needed', SIX_HOURS],
  ['address_unconfirmed', SIX_HOURS],
  ['approval_needed', SIX_HOURS],
] satisfies [HoldCode, number][]);

/** Puts the payment on hold. The longer the hold lasts, the longer the pause before the next check. */
export async function putOnHold(work: Work, hold: Hold): Promise<void> {
  const { context, sending, payment } = work;
  const kept = holdKept(payment, hold);
  const code = kept ?? hold.code;
  const isSame = payment.hold === code && payment.heldAt !== null;
  const lasted = isSame ? context.clock.now().getTime() - (payment.heldAt?.getTime() ?? 0) : 0;
  const pause = Math.min(
    sending.intervals.mostHold * (LONGER.get(code) ?? 1),
    Math.max(sending.intervals.leastHold, lasted / 2),
  );
  if (kept !== null) return idleKeepingHold(context.pool, payment, laterBy(work, pause));
  if (!isSame) {
    const about = { ...namedInLog(payment), hold: hold.code, network: sending.network, currency: payment.currency };
    context.log[ALARMS.has(hold.code) ? 'error' : 'warn'](about, hold.message);
  }
  await idleUntil(context, payment, laterBy(work, pause), hold);
}

export const holdOf = (code: HoldCode): Hold => ({ code, message: holdSentence(code) });

/** The hold for an error of a chain; null for any other error. */
export function chainHold(error: unknown): Hold | null {
  if (error instanceof SendHold) return { code: error.reason, message: asSentence(error.message) };
  if (!(error instanceof ChainError)) return null;
  const hold = holdOf('chain_unavailable');
  // Only a person can end it, by checking the named endpoint.
  return error.fault === 'contradiction'
    ? { ...hold, message: asSentence(error.message), isContradiction: true }
    : hold;
}

/** Turns `the issuer has …` into a sentence. */
export const asSentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
