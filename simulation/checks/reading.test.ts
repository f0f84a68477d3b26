// The checks of what was read fail when they should.

import { describe, expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import { isSumOfSome } from '@/simulation/oracles/announced-amounts';
import type { World } from '@/simulation/world';
import { closedSessionsAreUnpaid } from './credits';
import { BOB, doctored, without } from './doctored';
import {
  everythingReadIsStored,
  oneEndpointCreditsLittle,
  readersReadTheirOwn,
  whatIsShownIsOnItsWay,
} from './reading';

const readTo = (final: number | null) => [{ network: 'bsc', final_number: final }];

describe('a payment that is not stored', () => {
  const unstored = without('transfers');
  const at = (final: number | null) =>
    everythingReadIsStored({ ...unstored, after: { ...unstored.after, cursors: readTo(final) } });

  it('is reported once its network is read past its block', () => {
    expect(at(1).join()).toMatch(/of block 1 is not stored, and bsc is read to block 1/);
  });

  it('may come later, and after an endpoint has left transfers out', () => {
    expect([at(0), at(null)]).toEqual([[], []]);
    unstored.world.endpoints[0]!.hasLied = true;
    expect(at(1)).toEqual([]);
  });
});

describe('a payment that is not stored and whose address lost as much', () => {
  const at = (
    family: 'evm' | 'solana',
    change: { readonly left?: bigint; readonly kept?: bigint; readonly isStored?: true } = {},
  ) => {
    const scene = without('transfers');
    const { world, after } = scene;
    const [chain, terms] = [world.chains[0]!, world.sessions[0]!];
    const [token, payer] = [chain.spec.tokens.USDT!.contract, terms.addresses.evm];
    const amount = (change.left ?? 500n) * centOf(chain, 'USDT') - (change.kept ?? 0n);
    const hash = chain.pay({ token, payer, recipient: BOB, amount });
    for (const time of [500, 600, 700]) chain.mine(time);
    const judged = {
      ...world,
      chains: [{ ...chain, spec: { ...chain.spec, family } }],
      sessions: [{ ...terms, addresses: { ...terms.addresses, solana: payer } }],
    } as unknown as World;
    const stored = { network: 'bsc', hash, payer, currency: 'USDT', amount: String(amount), recipient: BOB };
    const outflows = change.isStored ? [{ ...stored, is_booked: true, is_reported: true, stored_at: 0 }] : [];
    return everythingReadIsStored({
      ...scene,
      world: judged,
      after: { ...after, outflows, cursors: readTo(chain.final()) },
    });
  };

  it('may come later on Solana, where its balance is what it was', () => {
    expect(at('solana')).toEqual([]);
  });

  it('may come later on Solana, where less than a cent is left of it', () => {
    expect(at('solana', { left: 500n, kept: 1n })).toEqual([]);
  });

  it('is reported elsewhere, and when the balance changed', () => {
    expect(at('evm').join()).toMatch(/of block 1 is not stored/);
    expect(at('solana', { left: 499n }).join()).toMatch(/of block 1 is not stored/);
    expect(at('solana', { isStored: true }).join()).toMatch(/of block 1 is not stored/);
  });
});

describe('a payment above the amount for which endpoints must agree', () => {
  it('is credited when two endpoints have shown its block', () => {
    expect(oneEndpointCreditsLittle(doctored({}))).toEqual([]);
  });

  it('is reported when only one has', () => {
    const scene = doctored({});
    scene.world.endpoints[0]!.shown = 0;
    expect(oneEndpointCreditsLittle(scene).join()).toMatch(/one endpoint of bsc alone credited session 1 up to 5.00/);
  });
});

describe('a payment that is shown as on its way', () => {
  const shown = (hash: string, final: number) => {
    const scene = doctored({});
    const unconfirmed = [{ network: 'bsc', hash, block_number: 1 }];
    return whatIsShownIsOnItsWay({ ...scene, after: { ...scene.after, unconfirmed, cursors: readTo(final) } });
  };

  it('is reported when the chain is read past its block without it', () => {
    expect(shown('0x00', 1).join()).toMatch(/is shown as on its way, and bsc is read to block 1 without it/);
  });

  it('may be shown before its block is final', () => {
    expect(shown('0x00', 0)).toEqual([]);
  });
});

describe('a price that an endpoint hid', () => {
  const CLOSED = 450_000;
  type Theft = {
    readonly cents?: bigint;
    /** When the product stored what left the address; null: not yet. */
    readonly storedAt?: number | null;
    readonly hasLied?: boolean;
    readonly status?: 'expired' | 'failed';
  };
  /** Of the 5.00 of the scene, a thief takes some before the session closes. */
  const stolen = ({ cents = 500n, storedAt = null, hasLied = true, status = 'expired' }: Theft): string => {
    const scene = doctored({ sessions: { status, closed_at: CLOSED } });
    const [chain, terms] = [scene.world.chains[0]!, scene.world.sessions[0]!];
    const place = { payer: terms.addresses.evm, recipient: BOB };
    const token = chain.spec.tokens.USDT!.contract;
    const hash = chain.pay({ ...place, token, amount: cents * centOf(chain, 'USDT') });
    for (const time of [440, 500, 600]) chain.mine(time);
    scene.world.endpoints[0]!.hasLied = hasLied;
    const row = { ...place, network: 'bsc', hash, currency: 'USDT', amount: '0', is_reported: true, is_booked: true };
    const outflows = storedAt === null ? [] : [{ ...row, stored_at: storedAt }];
    return closedSessionsAreUnpaid({ ...scene, after: { ...scene.after, outflows } }).join();
  };

  it('may be missing from a session whose address a thief emptied before its balance was compared', () => {
    expect([stolen({}), stolen({ storedAt: CLOSED + 1 }), stolen({ cents: 1n, status: 'failed' })]).toEqual([
      '',
      '',
      '',
    ]);
  });

  it('is missed when the product knew of the theft, no endpoint lied, or more arrived than was taken', () => {
    expect(stolen({ storedAt: CLOSED })).toMatch(/its price arrived in time/);
    expect(stolen({ hasLied: false })).toMatch(/its price arrived in time/);
    expect(stolen({ cents: 499n })).toMatch(/is expired with 5.00 received/);
  });
});

it('reports a program that reads events of another store', () => {
  expect(readersReadTheirOwn(doctored({}))).toEqual([]);
  expect(readersReadTheirOwn(doctored({ events: { store_id: 'other' } })).join()).toMatch(/event 1 of another store/);
});

describe('a paid session that closes unpaid', () => {
  /** `watches`: seconds at which a worker looked for sessions that are over. It closes an hour after its end. */
  const closed = (watches: readonly number[]) => {
    const scene = doctored({ sessions: { status: 'expired' } });
    const clock = { now: () => new Date(4600 * 1000) };
    scene.world.records.watches.push(...watches.map((at) => at * 1000));
    return closedSessionsAreUnpaid({ ...scene, world: { ...scene.world, clock } }).length;
  };
  const minutes = Array.from({ length: 61 }, (_, minute) => 1000 + 60 * minute);

  it('is excused when a worker waited for its networks as long as the settings say', () => {
    expect(closed(minutes)).toBe(0);
  });

  it('is reported when the worker stood still meanwhile', () => {
    expect(closed([1000, 4600])).toBe(1);
    expect(closed(minutes.slice(1))).toBe(1);
  });
});

it('knows which amounts some of several transfers come to', () => {
  const amounts = [1250n, 99n, 3n];
  expect([13, 12, 1, 0].map((cents) => isSumOfSome(BigInt(cents), amounts, 100n))).toEqual([true, true, true, true]);
  expect([14, 2, 5].map((cents) => isSumOfSome(BigInt(cents), amounts, 100n))).toEqual([false, false, false]);
});
