// The proof that no transaction is missing: each change must continue from the previous balance, in whatever order a
// node lists them.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCursor, FoundTransfer, Scan } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeSignature } from '@/testing/solana/solana-ledger';
import { ata, becomes, localSolana, OURS, pay, startSolana, STRANGER, T0, usdt } from '@/testing/solana/solana-scene';
import { watching } from '@/testing/watching/watching';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { followOn } from './history';

const amounts = fc.array(fc.bigInt({ min: 0n, max: 5n }), { minLength: 2, maxLength: 8 });
const changesOf = (held: readonly bigint[]) =>
  held.slice(1).map((after, index) => ({ before: held[index] as bigint, after }));

describe('the changes of one slot', () => {
  it('lead from the old balance to the new one, in any order', () => {
    fc.assert(
      fc.property(amounts, fc.infiniteStream(fc.nat()), (held, order) => {
        const shuffled = changesOf(held)
          .map((change) => ({ change, at: order.next().value as number }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ change }) => change);
        expect(followOn(held[0] as bigint, shuffled)).toBe(held.at(-1));
      }),
    );
  });

  it('do not connect if a change is left out, unless it was the first or last', () => {
    fc.assert(
      fc.property(amounts, fc.nat(), (held, pick) => {
        const changes = changesOf(held);
        const inner = changes.slice(1, -1);
        const gone = inner[pick % Math.max(1, inner.length)];
        if (!gone || gone.before === gone.after) return;
        const left = changes.filter((change) => change !== gone);
        expect(followOn(held[0] as bigint, left)).not.toBe(held.at(-1));
      }),
    );
  });

  it('do not connect if they start from another balance', () => {
    expect(followOn(7n, [{ before: 5n, after: 9n }])).toBeNull();
    expect(followOn(7n, [{ before: 5n, after: 5n }])).toBeNull();
    expect(followOn(7n, [])).toBe(7n);
    expect(followOn(0n, [{ before: 3n, after: 0n }])).toBeNull();
  });
});

const sum = (transfers: readonly FoundTransfer[]): bigint =>
  transfers.reduce((total, { amount }) => total + amount, 0n);

describe('an account’s history', () => {
  let node: FakeSolanaNode;
  beforeEach(async () => void (node = await startSolana()));
  afterEach(() => node.close());
  const adapterOf = () =>
    openSolanaAdapter({ spec: localSolana, urls: [node.url], clock: openTestClock(T0 + 60), log: silentLog() });

  /** Scans up to a slot and returns the scan with all account cursors known after it. */
  async function scanTo(
    adapter: ReturnType<typeof adapterOf>,
    to: number,
    accountCursors: readonly AccountCursor[],
    final = true,
  ) {
    const watch = watching([OURS], [{ owner: OURS, accountCursors }]);
    const scan = await adapter.scan({ from: to, to, parentHash: null, final }, watch);
    const known = new Map([...accountCursors, ...scan.accountCursors].map((cursor) => [cursor.account, cursor]));
    return { scan, accountCursors: [...known.values()] };
  }

  it('is reported once, whenever scans run and wherever windows end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('pay', 'pay two', 'sweep', 'mention', 'fail', 'close', 'look', 'nothing'), {
          minLength: 1,
          maxLength: 25,
        }),
        fc.nat({ max: 3 }),
        async (steps, behind) => {
          node.drop(node.blocks.length - 2);
          const adapter = adapterOf();
          let accountCursors: readonly AccountCursor[] = [];
          let paid = 0n;
          let swept = 0n;
          let [found, lost] = [0n, 0n];
          const seen = new Set<string>();
          const look = async (to: number) => {
            const scanned: { scan: Scan; accountCursors: AccountCursor[] } = await scanTo(adapter, to, accountCursors);
            accountCursors = scanned.accountCursors;
            const { transfers, outgoing = [] } = scanned.scan;
            for (const { transactionHash, ordinal, blockNumber } of [...transfers, ...outgoing]) {
              expect(blockNumber).toBeLessThanOrEqual(to);
              expect(seen.has(`${transactionHash} ${ordinal}`)).toBe(false);
              seen.add(`${transactionHash} ${ordinal}`);
            }
            found += sum(transfers);
            lost += sum(outgoing);
            // The invariant of the ledger, after every scan.
            expect(found - lost).toBe(accountCursors.reduce((total, { amount }) => total + amount, 0n));
          };
          for (const [index, step] of steps.entries()) {
            const amount = BigInt(index + 1);
            if (step === 'pay') node.mine([pay(node, amount)]);
            if (step === 'pay two') {
              node.mine([pay(node, amount)]);
              const one = node.ledger.now(ata(OURS))!;
              const block = node.blocks.at(-1)!;
              const again = { changes: [becomes(ata(OURS), { ...one, amount: one.amount + 1n })] };
              block.transactions.push(node.ledger.apply(block.slot, again, fakeSignature(`second of ${block.hash}`)));
              paid += 1n;
            }
            if (step === 'pay' || step === 'pay two') paid += amount;
            const held = node.ledger.now(ata(OURS));
            if (step === 'sweep' && held) {
              const to = node.ledger.now(ata(STRANGER))?.amount ?? 0n;
              swept += held.amount;
              // Withdraw everything, and never leave exactly the known amount: a sweep takes what was credited.
              node.mine([
                {
                  changes: [
                    becomes(ata(OURS), { ...held, amount: 0n }),
                    becomes(ata(STRANGER), { mint: usdt, owner: STRANGER, amount: to + held.amount }),
                  ],
                },
              ]);
              await look(node.blocks.at(-1)!.slot);
            }
            if (step === 'mention') node.mine([{ mentions: [ata(OURS)] }]);
            if (step === 'fail') node.mine([{ ...pay(node, amount), err: 'AccountInUse' }]);
            if (step === 'close' && held?.amount === 0n) node.mine([{ changes: [becomes(ata(OURS), null)] }]);
            if (step === 'nothing') node.mine([], { skip: 1 });
            if (step === 'look') await look(node.blocks.at(-1 - Math.min(behind, node.blocks.length - 2))!.slot);
          }
          await look(node.blocks.at(-1)!.slot);
          expect([found, lost]).toEqual([paid, swept]);
        },
      ),
      { numRuns: 30 },
    );
  }, 120_000);

  it('is reported up to the window’s end if more has happened since', async () => {
    node.mine([pay(node, 5n)]);
    node.mine([pay(node, 6n)]);
    const adapter = adapterOf();
    const first = await scanTo(adapter, 2, []);
    expect(first.scan.transfers.map(({ amount }) => amount)).toEqual([5n]);
    expect(first.accountCursors).toMatchObject([{ amount: 5n }]);
    const second = await scanTo(adapter, 3, first.accountCursors);
    expect(second.scan.transfers.map(({ amount }) => amount)).toEqual([6n]);
    expect(second.accountCursors).toMatchObject([{ amount: 11n }]);
  });

  it('is reported up to the balance read if it grows meanwhile, and the rest by the next scan', async () => {
    node.mine([pay(node, 5n)]);
    node.tamper = ({ method, params }) => {
      if (method === 'getMultipleAccounts' && (params[0] as string[]).includes(ata(OURS))) {
        node.tamper = () => undefined;
        node.mine([pay(node, 6n)]);
      }
      return undefined;
    };
    const adapter = adapterOf();
    const first = await scanTo(adapter, 2, []);
    expect(first.scan.transfers.map(({ amount }) => amount)).toEqual([5n]);
    const second = await scanTo(adapter, 3, first.accountCursors);
    expect(second.scan.transfers.map(({ amount }) => amount)).toEqual([6n]);
  });

  it('is read to its beginning when it is longer than a page', async () => {
    node.mine([pay(node, 5n)]);
    for (let block = 0; block < 5; block++) {
      node.mine(Array.from({ length: 500 }, () => ({ mentions: [ata(OURS)], err: 'AccountInUse' })));
    }
    node.mine([pay(node, 6n)]);
    const { scan } = await scanTo(adapterOf(), node.blocks.at(-1)!.slot, []);
    expect(scan.transfers.map(({ amount }) => amount)).toEqual([5n, 6n]);
    expect(node.calls.get('getSignaturesForAddress')).toBe(3);
  });

  it('is reported once per window above finality', async () => {
    for (const amount of [5n, 6n, 7n]) node.mine([pay(node, amount)]);
    const adapter = adapterOf();
    const reported = async (to: number) =>
      (await scanTo(adapter, to, [], false)).scan.transfers.map(({ amount }) => amount);
    expect([await reported(3), await reported(4), await reported(2)]).toEqual([[6n], [7n], [5n]]);
  });

  it('is read once above finality, however often it is scanned', async () => {
    node.mine([pay(node, 5n)]);
    const adapter = adapterOf();
    for (let pass = 0; pass < 5; pass++) {
      const { scan } = await scanTo(adapter, 2, [], false);
      expect(scan.transfers.map(({ amount }) => amount)).toEqual([5n]);
      expect(scan.accountCursors).toEqual([]);
    }
    expect(node.calls.get('getTransaction')).toBe(1);
    expect(node.calls.get('getSignaturesForAddress')).toBe(1);
  });
});
