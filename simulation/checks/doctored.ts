// A world and its database in which all is well, and the same doctored in one place: what the tests of the checks judge.

import { networkSpec } from '@/lib/networks/networks';
import { openEvmChain } from '@/simulation/chain/evm-chain';
import { centOf } from '@/simulation/chain/units';
import { emptyRecords } from '@/simulation/records';
import { WALLET } from '@/simulation/parties';
import { EMPTY, type Snapshot } from '@/simulation/snapshot';
import { openStory } from '@/simulation/story';
import type { World } from '@/simulation/world';
import type { SimulatedStore, Terms } from '@/simulation/stores';
import type { Checked } from './check';

export const ALICE = `0x${'a1'.repeat(20)}`;
export const BOB = `0x${'b0'.repeat(20)}`;
const ADDRESS = `0x${'d0'.repeat(20)}`;
const EXPIRES = 1000;
const EXCEPTION = { transfer_id: '1', amount: '0', counted: '0' };

/** Alice paid 5.00 for session cs in time, got 2.00 back as refund rf, and every event arrived. */
function openScene(): { readonly world: World; readonly snapshot: Snapshot } {
  const spec = networkSpec('test', 'bsc', 'local')!;
  const chain = openEvmChain({ spec, finalDepth: 2, wallet: WALLET.evm, unixSeconds: 0 });
  const cent = centOf(chain, 'USDT');
  const token = spec.tokens.USDT!.contract;
  const hash = chain.pay({ token, payer: ALICE, recipient: ADDRESS, amount: 500n * cent });
  chain.mine(100);
  const sentRefund = chain.pay({ token, payer: WALLET.evm, recipient: ALICE, amount: 200n * cent });
  for (const time of [200, 300, 400]) chain.mine(time);
  const receiver = {
    received: [{ headers: { 'x-service-event-id': 'ev' }, body: Buffer.from('{}') }],
    ...{ hasFailed: false, expected: [] },
  };
  const store = {
    ...{ storeId: 'st', name: 'store 1', receivers: [receiver], secrets: [], dayLimit: null },
    reader: { cursor: null, read: ['ev'] },
  } as unknown as SimulatedStore;
  const terms: Terms = {
    ...{
      id: 'cs',
      orderId: 'order',
      dueCents: 500n,
      currency: 'USDT',
      addresses: { evm: ADDRESS, tron: '', solana: '' },
    },
    ...{ networks: ['bsc'], tokens: ['USDT'], expiresAt: EXPIRES, isDecided: false, store, createdAt: 0 },
  };
  const world = {
    chains: [chain],
    sessions: [terms],
    stores: [store],
    ...{
      harness: {
        signer: {
          frozen: () => null,
          log: [],
          sweeps: [],
          payouts: [],
          cold: [],
          guarded: [],
          settings: { perHour: 200n, segmentBytes: 0, sweeps: null, cold: null },
        },
      },
      records: emptyRecords(),
    },
    context: {
      config: {
        REFUND_APPROVAL_ABOVE: 500,
        REFUND_HOLD_SECONDS_TEST: 60,
        EXPIRY_HOLD_SECONDS: 3600,
        AGREEMENT_ABOVE: 400,
      },
    },
    clock: { now: () => new Date(EXPIRES * 1000) },
    endpoints: [1, 2].map((number) => ({ chain, number, hasLied: false, shown: 1 })),
    firstFunds: new Map([['bsc', 1_000_000n]]),
    lost: { sessions: new Set(), events: new Set(), sentRefunds: new Map(), payouts: new Map(), returns: new Map() },
  };
  const snapshot: Snapshot = {
    ...EMPTY,
    sessions: [
      {
        ...{
          id: 'cs',
          store_id: 'st',
          status: 'completed',
          exception: 'none',
          amount_due: '500',
          amount_received: '500',
        },
        ...{ amount_refunded: '200', networks: ['bsc'], address: ADDRESS, completed_network: 'bsc' },
        completed_currency: 'USDT',
        closed_at: 200_000,
      },
    ],
    transfers: [
      {
        ...{
          id: '1',
          network: 'bsc',
          session_id: 'cs',
          hash,
          ordinal: 0,
          currency: 'USDT',
          payer: ALICE,
          recipient: ADDRESS,
        },
        amount: String(500n * cent),
      },
    ],
    refunds: [
      {
        ...{ id: 'rf', store_id: 'st', refund_id: 'r-1', session_id: 'cs', case_id: null, status: 'completed' },
        ...{ amount: '200', currency: 'USDT', network: 'bsc', destination: ALICE, hold: null, hash: sentRefund },
        is_drafted: true,
        is_reserved: true,
        created_at: 100_000,
      },
    ],
    attempts: [{ hash: sentRefund, refund_id: 'rf', signed_at: 160_000 }],
    exceptions: [{ id: '9', session_id: 'cs', kind: 'overpaid', state: 'kept', ...EXCEPTION }],
    events: [{ id: 'ev', store_id: 'st', type: 'payment.completed' }],
    deliveries: [{ id: '1', event_id: 'ev', status: 'delivered', attempts: 1 }],
  };
  return { world: world as unknown as World, snapshot };
}

type Kind = 'sessions' | 'transfers' | 'refunds' | 'exceptions' | 'events' | 'deliveries';

/** The scene with one change, as a check sees it. */
export function doctored(
  change: { [K in Kind]?: Partial<Snapshot[K][number]> } & Partial<Pick<Checked, 'store'>>,
): Checked {
  const { world, snapshot } = openScene();
  const { store, ...rows } = change;
  const after: Snapshot = { ...snapshot };
  for (const [kind, row] of Object.entries(rows)) {
    Object.assign(after, { [kind]: [{ ...snapshot[kind as Kind][0], ...row }] });
  }
  return { world, before: snapshot, after, story: openStory(), ...(store === undefined ? {} : { store }) };
}

export const without = (kind: Kind): Checked => {
  const scene = doctored({});
  return { ...scene, after: { ...scene.after, [kind]: [] } };
};
