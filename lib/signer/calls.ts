// The table of the signer's calls: the name, the schema of the parameters and the handler. No call signs arbitrary
// data, and none may ever be added: `sign` and `sign-batch` sign the orders' own transfers or refuse, `authorize`, `sweep`
// and `allow` sign what the signer builds itself. No call unfreezes the signer.

import { z } from 'zod';
import { crashpoint } from '@/lib/platform/crash-point';
import { areAllOf, MAX_ADDRESSES } from '@/lib/treasury/wallets/address-source';
import { INDEX_LIMIT, type AddressKeys } from '@/lib/treasury/wallets/derivation';
import { deriveRange } from '@/lib/treasury/wallets/derive-range';
import { journalParams } from './journal/page';
import type { BatchSigner } from './batches/batch-signer';
import {
  allowParams,
  batchParams,
  intentId,
  outcome,
  signParams,
  type BatchParams,
  type Signed,
  type SignParams,
} from './orders';
import type { addressesResult, fingerprintResult, ownsResult, SignerState } from './protocol';
import type { RefundSigner } from './refund-signer';
import { Refusal } from './refusal';
import { authorizeParams, signedSweepsParams, sweepParams } from './sweeps/orders';
import type { SweepSigner } from './sweeps/sweep-signer';

/** Handles one request. Returns null when its parameters are out of bounds. */
export type Call = (params: unknown) => Promise<object> | null;
export type Calls = ReadonlyMap<string, Call>;

type Others = {
  /** Null when the settings name no treasury wallet. */
  readonly sweeps?: SweepSigner | null;
  /** Null where nothing signs batches. */
  readonly batches?: BatchSigner | null;
  /** The contracts whose forwarders are deposit addresses on TRON. */
  readonly factories?: readonly string[];
  /** Whether a person has confirmed the backup words. */
  readonly areWordsConfirmed?: () => boolean;
  /** Why no key of the HSM can be used now, or null. Absent without an HSM. */
  readonly hsmTrouble?: (() => string | null) | undefined;
};

/** The calls on a wallet's keys, on its refund wallet and on its sweeps. */
export const callsOn = (
  keys: AddressKeys,
  refunds: RefundSigner,
  { sweeps = null, batches = null, factories = [], areWordsConfirmed = () => false, hsmTrouble }: Others = {},
): Calls =>
  new Map([
    ['fingerprint', checked(z.strictObject({}), async () => fingerprint(keys, refunds))],
    ['addresses', checked(range, (params) => addresses(keys, refunds, params))],
    ['owns', checked(ownsParams, async (params) => ownership(keys, params, factories))],
    ['sign', checked(signParams, (params) => signed(refunds, params))],
    ['attempts', checked(z.strictObject({ intentId }), async (params) => refunds.attempts(params.intentId))],
    ['release', checked(z.strictObject({ outcome }), async (params) => refunds.release(params.outcome))],
    ['freeze', checked(z.strictObject({ reason }), async (params) => refunds.freeze(params.reason))],
    [
      'state',
      checked(z.strictObject({}), async () =>
        stateOf(refunds, { sweeps, batches, factories, areWordsConfirmed, hsmTrouble }),
      ),
    ],
    ['sign-batch', checked(batchParams, (params) => signedBatch(neededBatches(batches), params))],
    ['allow', checked(allowParams, async (params) => neededBatches(batches).allow(params))],
    ['allowance', checked(allowanceOf, async (params) => ({ last: neededBatches(batches).lastAllowance(params) }))],
    ['authorize', checked(authorizeParams, async (params) => needed(sweeps).authorize(params))],
    ['sweep', checked(sweepParams, async (params) => needed(sweeps).sweep(params))],
    [
      'signed-sweeps',
      checked(signedSweepsParams, async ({ hashes }) => ({ signed: sweeps?.signedAmong(hashes) ?? [] })),
    ],
    ['journal', checked(journalParams, async (params) => refunds.journal(params))],
  ]);

/** One line of plain text for the operator. */
const reason = z.string().regex(/^[\x20-\x7e]{1,200}$/);

const range = z
  .strictObject({ from: z.int().min(0), count: z.int().min(1).max(MAX_ADDRESSES) })
  .refine(({ from, count }) => from + count <= INDEX_LIMIT);

const allowanceOf = allowParams.pick({ environment: true, network: true });

/** A session has one address per family of networks, so this is more than enough. */
const MAX_OWNED_ADDRESSES = 10;
const ownsParams = z.strictObject({
  index: z
    .int()
    .min(0)
    .max(INDEX_LIMIT - 1),
  addresses: z.array(z.string().max(64)).min(1).max(MAX_OWNED_ADDRESSES),
});

async function signed(refunds: RefundSigner, params: SignParams): Promise<Signed> {
  const payload = await refunds.signApproved(params);
  crashpoint('before-answer', params.order.network);
  return payload;
}

async function signedBatch(batches: BatchSigner, params: BatchParams): Promise<Signed> {
  const payload = batches.sign(params);
  crashpoint('before-answer', params.orders[0]?.network);
  return payload;
}

const stateOf = (
  refunds: RefundSigner,
  { sweeps, batches, areWordsConfirmed, hsmTrouble }: Required<Others>,
): SignerState => ({
  ...refunds.state(),
  wordsConfirmed: areWordsConfirmed(),
  ...(hsmTrouble ? { hsm: hsmTrouble() } : {}),
  ...batches?.state(),
  ...(sweeps ? { sweeps: sweeps.state() } : {}),
});

function neededBatches(batches: BatchSigner | null): BatchSigner {
  if (!batches) throw new Refusal('not_allowed', 'the signer signs no batches: set SIGNER_PAYOUT_BATCHES');
  return batches;
}

function needed(sweeps: SweepSigner | null): SweepSigner {
  if (!sweeps) throw new Refusal('not_allowed', 'the signer has no treasury wallet: set SIGNER_TREASURY_WALLETS');
  return sweeps;
}

const fingerprint = (keys: AddressKeys, refunds: RefundSigner): z.input<typeof fingerprintResult> => ({
  mode: 'seed',
  fingerprint: keys.fingerprint,
  capacity: INDEX_LIMIT,
  highest: refunds.highestIndex,
});

/** Each index is handed out once: the journal records it before the addresses are derived. */
async function addresses(
  keys: AddressKeys,
  refunds: RefundSigner,
  params: z.output<typeof range>,
): Promise<z.input<typeof addressesResult>> {
  refunds.giveIndexes(params);
  return { fingerprint: keys.fingerprint, addresses: await deriveRange(keys, params) };
}

/** Derives the addresses and records nothing, so a caller may ask about an index any number of times. */
const ownership = (
  keys: AddressKeys,
  { index, addresses: requested }: z.output<typeof ownsParams>,
  factories: readonly string[],
): z.input<typeof ownsResult> => ({ owns: areAllOf(keys.addressesAt(index), requested, factories) });

function checked<T>(schema: z.ZodType<T>, run: (params: T) => Promise<object>): Call {
  return (params) => {
    const read = schema.safeParse(params);
    return read.success ? run(read.data) : null;
  };
}
