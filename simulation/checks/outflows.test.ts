// The checks of outflows fail when they should.

import { expect, it } from 'vitest';
import { THIEF, TREASURY } from '@/simulation/parties';
import type { Snapshot } from '@/simulation/snapshot';
import type { Checked } from './check';
import { doctored } from './doctored';
import { everyOutflowIsBooked, outflowsAreReal } from './outflows';

type Outflow = Snapshot['outflows'][number];

/** The world in which all is well, after its deposit address paid 5 base units to the treasury, stored as given. */
function swept(stored: Partial<Outflow> | null): Checked {
  const checked = doctored({});
  const [chain] = checked.world.chains;
  const payer = checked.world.sessions[0]!.addresses.evm;
  const token = chain!.spec.tokens.USDT!.contract;
  const recipient = stored?.recipient ?? TREASURY.evm;
  const hash = chain!.pay({ token, payer, recipient, amount: 5n });
  for (const time of [500, 600, 700]) chain!.mine(time);
  const row = {
    network: 'bsc',
    hash,
    currency: 'USDT',
    payer,
    recipient,
    amount: '5',
    is_reported: false,
    is_booked: true,
    stored_at: 0,
  };
  return { ...checked, after: { ...checked.after, outflows: stored === null ? [] : [{ ...row, ...stored }] } };
}

it('find nothing when a sweep is stored and booked, or a theft reported and explained', () => {
  for (const checked of [swept({}), swept({ recipient: THIEF.evm, is_reported: true })])
    expect([...outflowsAreReal(checked), ...everyOutflowIsBooked(checked)]).toEqual([]);
});

it.each<[string, Partial<Outflow> | null, RegExp]>([
  ['is not stored', null, /is not stored/],
  ['is stored with another amount', { amount: '6' }, /stored as 6, the chain says 5/],
  ['never was', { hash: '0x00' }, /stored as 5, the chain says 0/],
  ['is not booked', { is_booked: false }, /is not booked/],
  ['went to a thief and was not reported', { recipient: THIEF.evm }, /was not reported/],
  ['was a sweep and was reported', { is_reported: true }, /reported as unexplained/],
])('find an outflow that %s', (_, stored, found) => {
  const checked = swept(stored);
  expect([...outflowsAreReal(checked), ...everyOutflowIsBooked(checked)].join('\n')).toMatch(found);
});
