// Vote counting alone: only true payments are credited, whatever a minority of endpoints reports and whichever
// endpoints are unreachable.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localEthereum, usdt } from '@/testing/watching/watched-chain';
import { isLarge, reachAgreement } from './agreement';
import { ChainError, type Credited, type FoundTransfer, type Scan } from '@/lib/networks/chain';

const through = { number: 10, hash: '0xa', parentHash: '0x9', time: 1 };
const transfer = (over: Partial<FoundTransfer> = {}): FoundTransfer => ({
  transactionHash: '0x1',
  ordinal: 0,
  blockNumber: 5,
  blockHash: '0x5',
  blockTime: 1,
  currency: 'USDT',
  contract: usdt,
  payer: '0xp',
  isPlain: true,
  recipient: '0xr',
  amount: 12_340_000n,
  ...over,
});
const scan = (...transfers: FoundTransfer[]): Scan => ({ transfers, through, accountCursors: [] });
const truth = scan(transfer(), transfer({ ordinal: 1, recipient: '0xs' }));

/** A voter's report: a scan, or null if it does not answer. */
type Says = Scan | null;
async function vote(says: readonly Says[], needed: number) {
  const voters = says.map((said, n) => ({ name: `endpoint ${n + 1}`, said }));
  const [lead, ...others] = voters;
  const disputed: string[] = [];
  const verdict = reachAgreement({
    lead: { voter: lead!, scan: lead!.said! },
    others,
    needed,
    divisible: false,
    read: ({ said }) => (said ? Promise.resolve(said) : Promise.reject(new ChainError('unavailable', 'away'))),
    onDispute: (who) => disputed.push(...who.map(({ name }) => name)),
  });
  return verdict.then(
    (one) => ({ fault: null, disputed, scan: one.scan, outvoted: one.outvoted.map(({ name }) => name) }),
    (error: ChainError) => ({ fault: error.fault, disputed, scan: null, outvoted: [] }),
  );
}

describe('a vote', () => {
  it('never credits with too few matching reports, and always with enough honest ones', async () => {
    const saying = fc.constantFrom('truth', 'lie', 'other lie', 'away');
    await fc.assert(
      fc.asyncProperty(
        fc.array(saying, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (all, most) => {
          const needed = Math.min(most, all.length);
          const lies: Record<string, Says> = {
            truth,
            lie: scan(transfer({ amount: 99_000_000n })),
            'other lie': scan(),
            away: null,
          };
          fc.pre(all[0] !== 'away');
          for (const lie of ['lie', 'other lie']) fc.pre(all.filter((one) => one === lie).length < needed);
          const { scan: credited, fault } = await vote(
            all.map((one) => lies[one]!),
            needed,
          );
          const honest = all.filter((one) => one === 'truth').length;
          expect(credited).toEqual(honest >= needed ? truth : null);
          expect(fault === null).toBe(honest >= needed);
        },
      ),
    );
  });

  const differences: [string, Partial<FoundTransfer>][] = [
    ['transaction', { transactionHash: '0x2' }],
    ['ordinal', { ordinal: 7 }],
    ['block', { blockNumber: 6 }],
    ['block hash', { blockHash: '0x6' }],
    ['block time', { blockTime: 2 }],
    ['currency', { currency: 'USDC' }],
    ['contract', { contract: '0xc' }],
    ['payer', { payer: '0xq' }],
    ['way of paying', { isPlain: false }],
    ['recipient', { recipient: '0xz' }],
    ['amount', { amount: 12_340_001n }],
  ];
  it.each(differences)('distinguishes transfers with another %s', async (_, over) => {
    const { fault, disputed } = await vote([scan(transfer()), scan(transfer(over))], 2);
    expect([fault, disputed]).toEqual(['contradiction', ['endpoint 1', 'endpoint 2']]);
  });

  it.each(differences)('distinguishes outgoing transfers with another %s', async (_, over) => {
    const out = (one: FoundTransfer): Scan => ({ ...scan(), outgoing: [one] });
    const { fault, disputed } = await vote([out(transfer()), out(transfer(over))], 2);
    expect([fault, disputed]).toEqual(['contradiction', ['endpoint 1', 'endpoint 2']]);
  });

  it('distinguishes a transfer to an address from the same one out of it', async () => {
    const outgoing: Scan = { ...scan(), outgoing: [transfer()] };
    expect(await vote([scan(transfer()), outgoing], 2)).toMatchObject({ fault: 'contradiction' });
    expect(await vote([outgoing, scan(transfer()), outgoing], 2)).toMatchObject({
      scan: outgoing,
      outvoted: ['endpoint 2'],
    });
  });

  it('treats no outgoing transfers alike, whether the list is empty or absent', async () => {
    expect(await vote([truth, { ...truth, outgoing: [] }], 2)).toMatchObject({ fault: null, outvoted: [] });
  });

  it('distinguishes windows that end in another block, and ignores the order of transfers', async () => {
    const [first, second] = truth.transfers;
    expect(await vote([truth, scan(second!, first!)], 2)).toMatchObject({ fault: null, outvoted: [] });
    const elsewhere = { ...truth, through: { ...through, hash: '0xb' } };
    expect(await vote([truth, elsewhere], 2)).toMatchObject({ fault: 'contradiction' });
  });

  it('names the outvoted endpoints, and reads no more endpoints than needed', async () => {
    const never = () => {
      throw new Error('no request expected');
    };
    const lie = scan();
    expect(await vote([lie, truth, truth], 2)).toMatchObject({ scan: truth, outvoted: ['endpoint 1'] });
    const third = Object.defineProperty({ transfers: [], through, accountCursors: [] }, 'transfers', { get: never });
    expect(await vote([truth, truth, third as Scan], 2)).toMatchObject({ scan: truth, outvoted: [] });
  });

  it('treats a partly read window neither as a contradiction nor as agreement with a whole one', async () => {
    const part: Scan = { ...scan(transfer()), unfinished: { fault: null, message: 'more than fits' } };
    expect(await vote([part, truth], 2)).toMatchObject({ fault: 'unavailable', disputed: [] });
    expect(await vote([part, truth, truth], 2)).toMatchObject({ scan: truth, outvoted: [] });
    expect(await vote([part, part], 2)).toMatchObject({ fault: null, scan: part });
  });
});

describe('a large payment', () => {
  const own = (cents: bigint, recipient = '0xr') => transfer({ amount: cents * 10_000n, recipient });
  const limits = { above: 1000n, abovePerHour: 5000n, endpoints: 2 };
  const none: Credited = { byRecipient: new Map(), withinHour: 0n };
  const large = (found: Scan, before = none) => isLarge(localEthereum, found, limits, before);

  it('is a session’s gain in the window, in cents, at or above the configured amount', () => {
    expect(large(scan(own(999n)))).toBe(false);
    expect(large(scan(own(1000n)))).toBe(true);
    expect(large(scan(own(500n), own(500n)))).toBe(true);
    expect(large(scan(own(500n), own(500n, '0xs')))).toBe(false);
    expect(large(scan())).toBe(false);
    expect(large(scan(transfer({ amount: 1n, contract: '0xunknown' })))).toBe(true);
  });

  it('includes amounts that leave the address', () => {
    const sweep = (cents: bigint): Scan => ({
      ...scan(),
      outgoing: [{ ...own(cents), payer: '0xr', recipient: '0xt' }],
    });
    expect(large(sweep(999n))).toBe(false);
    expect(large(sweep(1000n))).toBe(true);
    expect(large({ ...sweep(500n), transfers: [own(500n)] })).toBe(true);
    expect(large({ ...sweep(400n), transfers: [own(500n)] })).toBe(false);
  });

  it('includes earlier credits of the session', () => {
    const before = { byRecipient: new Map([['0xr', 900n]]), withinHour: 900n };
    expect(large(scan(own(99n)), before)).toBe(false);
    expect(large(scan(own(100n)), before)).toBe(true);
    expect(large(scan(own(100n, '0xs')), before)).toBe(false);
  });

  it('includes credits of all sessions on the network within the hour', () => {
    const many = Array.from({ length: 5 }, (_, n) => own(900n, `0x${n}`));
    expect(large(scan(...many))).toBe(false);
    expect(large(scan(...many), { ...none, withinHour: 499n })).toBe(false);
    expect(large(scan(...many), { ...none, withinHour: 500n })).toBe(true);
  });
});
