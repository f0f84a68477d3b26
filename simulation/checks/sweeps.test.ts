// The checks of sweeps fail when they should.

import { expect, it } from 'vitest';
import type { SentTransaction } from '@/simulation/chain/chain';
import { THIEF, TREASURY } from '@/simulation/parties';
import type { SweepRow } from '@/simulation/snapshot-sweeps';
import type { SignedRecord, SweepSettings } from '@/simulation/sweeping';
import type { Check, Checked } from './check';
import { doctored } from './doctored';
import {
  endedSweepsTellTheTruth,
  nothingIsPlannedWhilePaused,
  nothingStaysLent,
  openSweepsShareNoAddress,
  sweepsEmptyTheirAddresses,
  sweepsEnd,
  sweepsGoToTheTreasury,
  sweepsLeaveNoGap,
  sweepsStayWithinTheirBudget,
  sweepsWaitForTheirSessions,
} from './sweeps';

const ALL: readonly Check[] = [
  endedSweepsTellTheTruth,
  nothingIsPlannedWhilePaused,
  nothingStaysLent,
  openSweepsShareNoAddress,
  sweepsEmptyTheirAddresses,
  sweepsEnd,
  sweepsGoToTheTreasury,
  sweepsLeaveNoGap,
  sweepsStayWithinTheirBudget,
  sweepsWaitForTheirSessions,
];

const scene = doctored({});
const [chain] = scene.world.chains;
const address = scene.world.sessions[0]!.addresses.evm;
const token = chain!.spec.tokens.USDT!.contract;
const held = chain!.transfers(chain!.height()).find(({ recipient }) => recipient === address)!.amount;
/** The session of the scene closed at this time. */
const CLOSED = 200_000;

type Changes = {
  readonly settings?: Partial<SweepSettings>;
  readonly signed?: Partial<SignedRecord>;
  readonly sent?: Partial<SentTransaction>;
  readonly row?: Partial<SweepRow>;
  readonly session?: 'pending' | 'completed';
  readonly isPaused?: boolean;
  readonly recipient?: string;
  /** Base units that stay at the address. */
  readonly left?: bigint;
  /** Who borrows energy of the account that sends sweeps. */
  readonly borrower?: string;
};

/** All is well: a batch was signed ten seconds after the session had closed, and moved what the address held. */
function swept(changes: Changes): Checked {
  const { settings, signed, sent, row, session = 'completed', isPaused = false, left = 0n } = changes;
  const checked = doctored({ sessions: { status: session } });
  const [network, hash] = ['bsc', '0xbatch'];
  const amount = held - left;
  const moved = [{ token, payer: address, recipient: changes.recipient ?? TREASURY.evm, amount }];
  const transfers = chain!.transfers(chain!.height());
  const transfer = { ...moved[0]!, hash, ordinal: 0, blockNumber: 2, blockTime: 200 };
  const sweep = { id: '1', network, kind: 'batch', status: 'final', sender: '0xsponsor', currency: 'USDT' } as const;
  const end = { hashes: [hash], addresses: [address], moved: String(amount), message: null };
  const states = { sweeps: [], sweep_states: [{ network, is_paused: isPaused, hold: null }] };
  const sentOne = { hash, from: '0xsponsor', nonce: 0, blockNumber: 2, cost: 10n, moved, ...sent };
  const record = { at: CLOSED + 10_000, network, hash, kind: 'batch', token, deposits: [address], ...signed } as const;
  const lent = (): readonly string[] => (changes.borrower === undefined ? [] : [changes.borrower]);
  const signer = {
    sponsor: 'first',
    sweeps: [record],
    settings: { sweeps: { delaySeconds: 10, capsPerHour: 2n, ...settings } },
  };
  return {
    ...checked,
    before: { ...checked.before, ...states, sessions: checked.after.sessions },
    after: { ...checked.after, ...states, sweeps: [{ ...sweep, ...end, ...row }] },
    world: {
      ...checked.world,
      chains: [{ ...chain!, sent: () => [sentOne], transfers: () => [...transfers, transfer], lent }],
      harness: { signer } as unknown as Checked['world']['harness'],
    },
  };
}

const found = (changes: Changes): string => ALL.flatMap((check) => check(swept(changes))).join('\n');

it('find nothing when a sweep waited, went to the treasury, and its address is empty', () => {
  expect(found({})).toBe('');
});

it.each<[string, Changes, RegExp]>([
  ['pays a thief', { recipient: THIEF.evm }, /0xbatch on bsc paid 0xbd/],
  ['is signed while its session is open', { session: 'pending' }, /is signed while the session is open/],
  ['is signed before the delay is over', { signed: { at: CLOSED + 9999 } }, /is signed within 10 s of its end/],
  ['is signed for a token that was never paid', { signed: { token: '0x00' } }, /no payment to its address is final/],
  ['costs more than the budget', { sent: { cost: 10n ** 18n } }, /cost 1000000000000000000, with a budget of/],
  ['was planned while the network was paused', { isPaused: true }, /was planned on bsc while it was paused/],
  ['names an address twice', { row: { status: 'mined', addresses: [address, address] } }, /is in two sweeps at once/],
  ['never ends', { row: { status: 'signed' } }, /sweep 1 \(batch on bsc\) stays signed/],
  ['never lands', { sent: { blockNumber: null } }, /with nonce 0 never lands/],
  ['leaves a cent', { left: 10n ** 16n }, /10000000000000000 USDT on bsc stays at the address of session 1/],
  ['says that it moved more', { row: { moved: '7' } }, /says that it moved 7, the chain says/],
  ['leaves energy lent', { borrower: address }, /energy on bsc stays lent to 0x/],
  ['counts as final before it is', { sent: { blockNumber: 4 } }, /counts as final, and no final block has it/],
  [
    'counts as lapsed although it landed',
    { row: { status: 'lapsed', message: 'another transaction of the account has its nonce' } },
    /counts as lapsed, and it is in a final block/,
  ],
  [
    'was given up while a block could take it',
    { row: { status: 'lapsed', message: 'its blockhash is no longer valid, and no block has it' } },
    /counts as lapsed, and it is in a final block/,
  ],
])('find a sweep that %s', (_, changes, sentence) => {
  expect(found(changes)).toMatch(sentence);
});
