// The guarantees of every adapter (lib/networks/chain.ts), tested alike on every local chain and every recording of a
// real one. A new network is done when this suite passes for it.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ChainError,
  type AccountCursor,
  type BlockRef,
  type ChainAdapter,
  type FoundTransfer,
} from '@/lib/networks/chain';
import {
  faultOf,
  cursorsAfter,
  scanInWindows,
  scanStory,
  watchedOf,
  watchOf,
  windowOf,
  type ConformanceChain,
  type Drive,
  type Paid,
} from './conformance-chain';

/** Ways of cutting the story into windows; each is several scans of a real node. */
const CUTS_TRIED = 8;
/** Far enough above the head that no chain gets there during a test. */
const FAR_ABOVE = 1_000_000;
const MAX_SKIPPED = 16;
const TRIES = 10;

/** Selects the guarantees that apply: how the network is read, and whether tests can control the chain. */
export type Kind = { readonly readsBlocks: boolean; readonly driven: boolean };

/** Registers the suite for one chain. `open` starts it, creates its story and resolves when that is final. */
export function conformance(name: string, kind: Kind, open: () => Promise<ConformanceChain>): void {
  describe(`${name} meets the adapter contract`, () => {
    let chain: ConformanceChain;
    beforeAll(async () => void (chain = await open()), 120_000);
    afterAll(() => chain?.close());
    const get = () => chain;
    identity(get, kind);
    scanning(get, kind);
    if (kind.readsBlocks) windowsOfBlocks(get);
    else marksOfAccounts(get);
    lookups(get);
    if (kind.driven) driven(get);
  });
}

type Get = () => ConformanceChain;

function identity(get: Get, { readsBlocks }: Kind): void {
  test('states whether it is read by block or by account', () => {
    expect(get().adapter.readsBlocks).toBe(readsBlocks);
  });

  test('returns the same genesis every time, and the one of the networks table where it has one', async () => {
    const { adapter, spec } = get();
    const genesis = await adapter.genesis();
    expect(await adapter.genesis()).toBe(genesis);
    if (spec.genesis !== null) expect(genesis).toBe(spec.genesis);
  });

  test('the final block is never above the newest one, and is the block at its height', async () => {
    const { adapter } = get();
    const { tip, final } = await adapter.head();
    expect(final.number).toBeLessThanOrEqual(tip.number);
    expect(await adapter.block(final.number)).toEqual(final);
  });

  test('a block has its height and time, and continues from the block before it', async () => {
    const { adapter, story } = get();
    const [one, next] = [await blockBelow(adapter, story.last), await adapter.block(story.last)];
    expect(next).toMatchObject({ number: story.last, parentHash: one?.hash });
    expect(next?.time).toBeGreaterThanOrEqual(one?.time ?? Number.POSITIVE_INFINITY);
    expect(next?.hash).not.toBe(one?.hash);
  });

  test('there is no block above the head', async () => {
    const { adapter } = get();
    const { tip } = await adapter.head();
    expect(await adapter.block(tip.number + FAR_ABOVE)).toBeNull();
  });
}

function scanning(get: Get, { readsBlocks }: Kind): void {
  test.each([true, false])('exactly the payments to watched addresses are found (final: %s)', async (final) => {
    const { spec, story, adapter } = get();
    const { transfers, through } = await scanStory(get(), { final });
    expect(brief(transfers)).toEqual(payments(story.ours));
    expect(through).toEqual(await adapter.block(story.last));
    for (const { currency, contract, amount } of transfers) {
      expect(contract).toBe(spec.tokens[currency]?.contract);
      expect(amount).toBeGreaterThan(0n);
    }
  });

  test('every payment found is in a canonical block of the window, with that block’s time', async () => {
    const { adapter, story } = get();
    const { transfers } = await scanStory(get(), { final: true });
    for (const { blockNumber, blockHash, blockTime } of transfers) {
      expect(blockNumber).toBeGreaterThan(story.after.number);
      expect(blockNumber).toBeLessThanOrEqual(story.last);
      expect(await adapter.block(blockNumber)).toMatchObject({ hash: blockHash, time: blockTime });
    }
  });

  test('reports for each payment whether its payer ordered it', async () => {
    const told = get().story.ours.filter(({ isPlain }) => isPlain !== undefined);
    const { transfers } = await scanStory(get(), { final: true });
    for (const { hash, recipient, isPlain } of told) {
      const found = transfers.filter((one) => one.transactionHash === hash && one.recipient === recipient);
      expect(found.map((one) => one.isPlain)).toEqual([isPlain]);
    }
  });

  test('a payment has the same position in its transaction at the tip and when it is credited', async () => {
    const places = (list: readonly FoundTransfer[]) =>
      list.map((one) => `${one.transactionHash} ${one.ordinal} ${one.recipient} ${one.amount}`).toSorted();
    const [tip, final] = [await scanStory(get(), { final: false }), await scanStory(get(), { final: true })];
    expect(places(tip.transfers)).toEqual(places(final.transfers));
    const identities = final.transfers.map(({ transactionHash, ordinal }) => `${transactionHash} ${ordinal}`);
    expect(new Set(identities).size).toBe(identities.length);
  });

  test('finds all payments of one transaction, each with its own recipient', async () => {
    const { story } = get();
    const { transfers } = await scanStory(get(), { final: true });
    const sizes = (hashes: readonly string[]) =>
      [...new Set(hashes)].map((one) => hashes.filter((hash) => hash === one).length).toSorted((a, b) => a - b);
    expect(sizes(transfers.map(({ transactionHash }) => transactionHash))).toEqual(
      sizes(story.ours.map(({ hash }) => hash)),
    );
    expect(new Set(transfers.map(({ recipient }) => recipient)).size).toBeGreaterThan(1);
  });

  test('finds payments for watched addresses only', async () => {
    const { story } = get();
    const watched = [...new Set(story.strangers.map(({ recipient }) => recipient))];
    const { transfers } = await scanStory(withoutMarks(get()), { final: true, watched });
    expect(brief(transfers)).toEqual(payments(story.strangers));
    const nobody = await scanStory(get(), { final: true, watched: [] });
    expect(nobody.transfers).toEqual([]);
    expect(nobody.through.number).toBe(story.last);
  });

  test('never finds a failed transaction or a fake token', async () => {
    const { story } = get();
    const hashes = new Set([...story.failed, ...story.fake].map(({ hash }) => hash));
    const scans = await Promise.all([scanStory(get(), { final: true }), scanStory(get(), { final: false })]);
    expect(scans.flatMap(({ transfers }) => transfers.filter((one) => hashes.has(one.transactionHash)))).toEqual([]);
  });

  test('a repeated scan finds the same', async () => {
    const [one, other] = [await scanStory(get(), { final: true }), await scanStory(get(), { final: true })];
    expect(brief(one.transfers)).toEqual(brief(other.transfers));
    expect(one.through).toEqual(other.through);
    expect(cursorsAfter([], one)).toEqual(cursorsAfter([], other));
  });

  test('requests the watched addresses at most once, in the form of its network', async () => {
    const { adapter, story } = get();
    // By now the adapter knows the request format that its endpoint needs.
    await scanStory(get(), { final: true });
    const watch = watchOf(story, watchedOf(story));
    await adapter.scan(windowOf(story, true), watch);
    expect(watch.asked).toEqual(readsBlocks ? { among: 1, dueAddresses: 0 } : { among: 0, dueAddresses: 1 });
  });

  test('refuses a window that does not continue from the known block as reorganised', async () => {
    const { adapter, story } = get();
    const parentHash = (await adapter.block(story.last))!.hash;
    for (const final of [true, false]) {
      const scan = adapter.scan({ ...windowOf(story, final), parentHash }, watchOf(story, watchedOf(story)));
      expect(await faultOf(scan)).toBe('reorganised');
    }
  });

  test('refuses to read blocks for crediting that are not final', async () => {
    const { adapter, story } = get();
    const watch = watchOf(story, watchedOf(story));
    const readToTip = async () => {
      const { tip, final } = await adapter.head();
      expect(tip.number).toBeGreaterThan(final.number);
      const window = { from: final.number + 1, to: tip.number, parentHash: null, final: true };
      const fault = await adapter.scan(window, watch).then(
        () => null,
        (error: unknown) => (error instanceof ChainError ? error.fault : error),
      );
      // A live chain may have finalized it in between; then the test tries the new tip.
      return (await adapter.head()).final.number < tip.number ? fault : 'too late';
    };
    let outcome = await readToTip();
    for (let tries = 1; outcome === 'too late' && tries < TRIES; tries++) outcome = await readToTip();
    expect(outcome).toBe('unavailable');
  });
}

function windowsOfBlocks(get: Get): void {
  test('split windows find together what one window finds', async () => {
    const { story } = get();
    const cut = fc.integer({ min: story.after.number + 1, max: story.last });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 6 }), async (ends) => {
        expect(brief(await scanInWindows(get(), ends))).toEqual(payments(story.ours));
      }),
      { numRuns: CUTS_TRIED },
    );
  });
}

function marksOfAccounts(get: Get): void {
  test('the account cursors of a scan cover everything found, so that the next scan finds nothing twice', async () => {
    const chain = get();
    const { story } = chain;
    const first = await scanStory(chain, { final: true });
    const accountCursors = cursorsAfter(story.accountCursors, first);
    const held = (list: readonly AccountCursor[]) => list.reduce((sum, { amount }) => sum + amount, 0n);
    expect(held(accountCursors) - held(story.accountCursors)).toBe(
      story.ours.reduce((sum, { amount }) => sum + amount, 0n),
    );
    const again = await scanStory({ ...chain, story: { ...story, accountCursors } }, { final: true });
    expect([again.transfers, cursorsAfter(accountCursors, again)]).toEqual([[], accountCursors]);
  });

  test('payments above finality move no account cursor', async () => {
    expect((await scanStory(get(), { final: false })).accountCursors).toEqual([]);
  });
}

function lookups(get: Get): void {
  test('reports a payment’s transaction as final, with its movements', async () => {
    const { adapter, spec, story } = get();
    for (const { hash, currency, payer, recipient, amount } of [...story.ours, ...story.strangers]) {
      const report = await adapter.lookup(hash);
      expect(report).toMatchObject({ transactionHash: hash, succeeded: true, missing: 0 });
      expect(report?.block).toEqual(await adapter.block(report?.block?.number ?? -1));
      expect(report?.confirmations).toBeGreaterThan(0);
      const { contract } = spec.tokens[currency]!;
      expect(report?.movements).toContainEqual({ contract, currency, payer, recipient, amount });
    }
  });

  test('reports a failed transaction as failed, without movements', async () => {
    const { adapter, story } = get();
    expect(story.failed.length).toBeGreaterThan(0);
    for (const { hash } of story.failed) {
      const report = await adapter.lookup(hash);
      expect(report).toMatchObject({ transactionHash: hash, succeeded: false, movements: [] });
      expect(report?.block).not.toBeNull();
    }
  });

  test('reports a fake token’s movement under its own contract, without a currency', async () => {
    const { adapter, spec, story } = get();
    const genuine = Object.values(spec.tokens).map(({ contract }) => contract);
    for (const { hash, recipient } of story.fake) {
      const moved = (await adapter.lookup(hash))?.movements.filter((one) => one.recipient === recipient);
      expect(moved?.map(({ currency }) => currency)).toEqual([null]);
      expect(genuine).not.toContain(moved?.[0]?.contract);
    }
  });

  test('returns null for an unknown transaction', async () => {
    const { adapter, unknownHash } = get();
    expect(await adapter.lookup(unknownHash)).toBeNull();
  });
}

function driven(get: Get): void {
  test('confirmations grow with the chain', async () => {
    const { adapter, story } = get();
    const drive = driveOf(get());
    const { hash } = story.ours[0]!;
    const before = await adapter.lookup(hash);
    await drive.mine(3);
    const after = await adapter.lookup(hash);
    expect(after!.confirmations).toBeGreaterThanOrEqual(before!.confirmations + 3);
  });

  test('a newly started chain has another genesis', async () => {
    const other = await driveOf(get()).anotherGenesis();
    expect(other).toMatch(/^[0-9A-Za-z]{32,66}$/);
    expect(other).not.toBe(await get().adapter.genesis());
  });

  test('a reverted payment disappears, and a window that continues from its block is refused as reorganised', async (context) => {
    const { adapter, story } = get();
    const drive = driveOf(get());
    const taken = await drive.payAndTakeBack();
    if (!taken) return context.skip('this engine takes no block back');
    await drive.mine(2);
    const { tip } = await adapter.head();
    const watch = watchOf(story, [taken.recipient]);
    const window = { from: story.last + 1, to: tip.number, parentHash: null, final: false };
    const { transfers } = await adapter.scan(window, watch);
    expect(transfers.filter(({ transactionHash }) => transactionHash === taken.hash)).toEqual([]);
    expect(await adapter.lookup(taken.hash)).toBeNull();
    // Where accounts are read, the reverted payment is no longer found, and the scan continues without a missed block.
    if (!adapter.readsBlocks) return;
    const { number, hash } = taken.replaced;
    const continued = { from: number + 1, to: tip.number, parentHash: hash, final: false };
    expect(await faultOf(adapter.scan(continued, watch))).toBe('reorganised');
  });
}

/** The previous block; Solana sometimes skips slots, and their numbers with them. */
async function blockBelow(adapter: ChainAdapter, number: number): Promise<BlockRef | null> {
  for (let below = number - 1; below >= number - MAX_SKIPPED; below--) {
    const block = await adapter.block(below);
    if (block) return block;
  }
  return null;
}

function driveOf({ drive }: ConformanceChain): Drive {
  if (drive) return drive;
  throw new Error('the chain cannot be driven');
}

/** The first scan of strangers, so their accounts have no cursors. */
const withoutMarks = (chain: ConformanceChain): ConformanceChain => ({
  ...chain,
  story: { ...chain.story, accountCursors: chain.story.accountCursors.filter(({ owner }) => isStranger(chain, owner)) },
});

const isStranger = ({ story }: ConformanceChain, owner: string): boolean =>
  story.strangers.some(({ recipient }) => recipient === owner);

const line = ({ hash, currency, payer, recipient, amount }: Paid): string =>
  `${hash} ${currency} ${amount} from ${payer} to ${recipient}`;
const payments = (paid: readonly Paid[]): string[] => paid.map(line).toSorted();
const brief = (transfers: readonly FoundTransfer[]): string[] =>
  payments(transfers.map(({ transactionHash: hash, ...one }) => ({ ...one, hash })));
