// Sweeps on the sandbox's Solana chain with its real token program: the worker's step and the real signer move final money of closed
// sessions to the treasury and close the emptied accounts, whatever is interrupted, and the ledger has it from the chain.

import type { Address } from '@solana/kit';
import { getFreezeAccountInstruction, getThawAccountInstruction } from '@solana-program/token';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { coinStep } from '@/lib/ledger/coin/step';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { armCrashPoint, SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { seed } from '@/testing/signer/signer-scene';
import { openSolanaSweepScene, type SolanaSweepScene } from '@/testing/sweeps/solana-sweep-scene';
import { BLOCKHASH_LIFETIME, FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';

const PRICE = 12_340_000n;
/** Lamports of a signature. */
const SIGNATURE = 5000n;
/** Bytes of a token account. */
const TOKEN_ACCOUNT = 165n;

let db: TestDatabase;
let node: SolanaNode;
let scene: SolanaSweepScene;
/** Lamports of a token account on this chain. */
let rent: bigint;
beforeAll(async () => {
  node = await startSolanaNode({ tick: 'manual' });
  rent = node.ledger.vm.rent(TOKEN_ACCOUNT);
}, 60_000);
afterAll(() => node.stop());
beforeEach(async () => {
  db = await openTestDatabase();
  scene = await openSolanaSweepScene({ db, node });
});
afterEach(async () => {
  armCrashPoint(undefined);
  await db.close();
});

type Session = { readonly address: string };
const OPEN = ['planned', 'signed', 'mined'];

/** The treasury has each price once, the ledger agrees, and no sweep is open. */
async function expectSweptOnce(sessions: readonly Session[], amount = PRICE * BigInt(sessions.length)): Promise<void> {
  for (const { address } of sessions) expect(scene.held(address)).toBe(0n);
  expect(scene.held(scene.treasury)).toBe(amount);
  expect(await scene.treasuryInLedger()).toBe(amount);
  expect(scene.frozen).toEqual([]);
  expect((await scene.sweeps()).filter(({ status }) => OPEN.includes(status))).toEqual([]);
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
}
const balanceOf = async (address: string): Promise<string[]> =>
  (await db.pool.query('SELECT amount::text FROM deposit_balances WHERE address = $1', [address])).rows.map(
    ({ amount }) => amount as string,
  );
/** Lamports by account of coins. */
const coins = async (): Promise<Record<string, bigint>> => {
  const { rows } = await db.pool.query<{ account: string; amount: string }>(
    `SELECT account, amount::text AS amount FROM ledger_balances WHERE currency = 'SOL'`,
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, BigInt(amount)]));
};

it('moves the money of twelve paid sessions by two transactions, and the sponsor gains the rent of their accounts', async () => {
  const sessions = await scene.paid(12);
  await scene.round();
  const before = await scene.coin();
  await scene.rounds(3);
  await expectSweptOnce(sessions);
  const sweeps = await scene.sweeps();
  expect(sweeps).toMatchObject([
    { kind: 'deploy', status: 'final' },
    { kind: 'batch', status: 'final', moved: 6, close: true },
    { kind: 'batch', status: 'final', moved: 6, close: true },
  ]);
  for (const { address } of sessions) expect(await scene.rent(address)).toBe(null);
  const gained = (await scene.coin()) - before;
  // What mainnet asks for since SIMD-0437.
  expect(rent).toBe(1_488_440n);
  expect(gained).toBeGreaterThan(12n * rent - 2n * 7n * SIGNATURE - 100n);
  expect(gained / 12n).toBeGreaterThan(1_480_000n);
  // The opening of the treasury's account costs its rent, and the others gave rent back.
  const fees = sweeps.map(({ fee }) => BigInt(fee));
  expect(fees[0]).toBeGreaterThan(rent);
  expect((fees[1] ?? 0n) + (fees[2] ?? 0n)).toBe(-gained);
  // The ledger tells rent from fees to the lamport.
  await coinStep(scene.context);
  const spent = fees.reduce((sum, fee) => sum + fee, 0n);
  expect(await coins()).toEqual({
    'expense:rent': rent,
    'revenue:rent': -12n * rent,
    'expense:network_fee': spent - rent + 12n * rent,
    [`fee_coin:${scene.sponsor}`]: -spent,
  });
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
  expect(await scene.hold()).toBe(null);
});

it('sweeps a hundred deposits of two tokens by seventeen transactions', async () => {
  const [usdt, usdc] = [await scene.paid(52), await scene.paid(48, 'USDC')];
  await scene.round();
  await scene.rounds(4);
  await expectSweptOnce(usdt);
  for (const { address } of usdc) expect(scene.held(address, 'USDC')).toBe(0n);
  expect(await scene.treasuryInLedger('USDC')).toBe(48n * PRICE);
  const kinds = (await scene.sweeps()).map(({ kind, status }) => `${kind} ${status}`);
  expect(kinds.filter((kind) => kind === 'deploy final')).toHaveLength(2);
  expect(kinds.filter((kind) => kind === 'batch final')).toHaveLength(17);
  expect(kinds).toHaveLength(19);
});

describe('a transaction that moves all or nothing', () => {
  beforeEach(async () => {
    await scene.paid(1);
    await scene.rounds(3);
  });
  /** What the treasury had before. */
  const first = PRICE;
  const owned = async (address: string) => ({
    account: await node.bank.associatedAccount(address as Address, scene.mint()),
    mint: scene.mint(),
    owner: node.bank.issuer,
  });

  it('fails when a unit arrives before it lands; its addresses then go alone, and everything is swept', async () => {
    const sessions = await scene.paid(6);
    const dusty = sessions[0]!;
    const { sender } = scene.solana;
    let sent = 0;
    scene.solana = {
      ...scene.solana,
      sender: {
        broadcast: async (bytes) => {
          if (sent++ === 0) await scene.pay(dusty.address, 1n);
          return sender.broadcast(bytes);
        },
      },
    };
    await scene.round();
    await scene.round();
    expect((await scene.sweeps()).at(-1)).toMatchObject({
      status: 'reverted',
      moved: 0,
      reasons: Array(6).fill('reverted'),
    });
    // For a minute nothing else is tried.
    expect(await scene.sweeps()).toHaveLength(3);
    scene.later(61);
    await scene.rounds(3);
    expect((await scene.sweeps()).slice(3)).toMatchObject(
      Array.from({ length: 6 }, () => ({ status: 'final', moved: 1, close: false })),
    );
    await expectSweptOnce(sessions, first + 6n * PRICE + 1n);
    for (const { address } of sessions) expect(await scene.rent(address)).toBe(rent);
  });

  it('leaves out an address that the issuer has frozen, and sweeps it once it is no longer frozen', async () => {
    const sessions = await scene.paid(6);
    const [frozen, others] = [sessions[0]!, sessions.slice(1)];
    await node.bank.send(node.bank.issuer, [getFreezeAccountInstruction(await owned(frozen.address))]);
    node.tick();
    await scene.rounds(3);
    expect((await scene.sweeps()).slice(2)).toMatchObject([{ status: 'final', moved: 5 }]);
    for (const { address } of others) expect(scene.held(address)).toBe(0n);
    const { rows } = await db.pool.query('SELECT skip_reason FROM deposit_balances WHERE address = $1', [
      frozen.address,
    ]);
    expect(rows).toEqual([{ skip_reason: 'refused' }]);
    await node.bank.send(node.bank.issuer, [getThawAccountInstruction(await owned(frozen.address))]);
    node.tick();
    scene.later(86_401);
    await scene.rounds(3);
    await expectSweptOnce(sessions, first + 6n * PRICE);
    expect(await scene.rent(frozen.address)).toBe(null);
  });

  it('is not sent while the account of the treasury is frozen', async () => {
    const sessions = await scene.paid(2);
    await node.bank.send(node.bank.issuer, [getFreezeAccountInstruction(await owned(scene.treasury))]);
    node.tick();
    await scene.rounds(2);
    expect([await scene.hold(), (await scene.sweeps()).length]).toEqual(['treasury_blocked', 2]);
    await node.bank.send(node.bank.issuer, [getThawAccountInstruction(await owned(scene.treasury))]);
    node.tick();
    await scene.rounds(3);
    await expectSweptOnce(sessions, first + 2n * PRICE);
  });

  it('lapses when its blockhash is too old and no block has it, and its addresses are swept by another one', async () => {
    const sessions = await scene.paid(6);
    const { sender } = scene.solana;
    scene.solana = { ...scene.solana, sender: { broadcast: async () => 'accepted' } };
    await scene.sweep();
    node.tick(BLOCKHASH_LIFETIME);
    await scene.sweep();
    expect((await scene.sweeps()).at(-1)).toMatchObject({ status: 'signed' });
    scene.solana = { ...scene.solana, sender };
    node.tick(FINALITY_LAG + 2);
    await scene.rounds(4);
    expect((await scene.sweeps()).slice(2)).toMatchObject([
      { status: 'lapsed', moved: 0, reasons: Array(6).fill('lapsed') },
      { status: 'final', moved: 6 },
    ]);
    await expectSweptOnce(sessions, first + 6n * PRICE);
  });
});

it('credits a payment to an address whose account was closed, and sweeps it again', async () => {
  const sessions = await scene.paid(3);
  const late = sessions[0]!;
  await scene.rounds(4);
  expect(await scene.rent(late.address)).toBe(null);
  expect(await balanceOf(late.address)).toEqual([]);
  await scene.pay(late.address, 5_000_000n);
  scene.finalize();
  await scene.watch();
  const { rows } = await db.pool.query('SELECT amount::text FROM transfers WHERE session_id = $1 ORDER BY id', [
    late.id,
  ]);
  expect(rows.map(({ amount }) => amount as string)).toEqual([String(PRICE), '5000000']);
  expect(await balanceOf(late.address)).toEqual(['5000000']);
  await scene.rounds(4);
  await expectSweptOnce(sessions, 3n * PRICE + 5_000_000n);
  expect(await scene.rent(late.address)).toBe(null);
});

describe('a worker', () => {
  it.each(SWEEP_CRASH_POINTS)('that ends at %s sweeps everything once after its restart', async (point) => {
    const sessions = await scene.paid(7);
    // The first sweep opens the treasury's account.
    expect(await scene.crashAt(point)).toBe(1);
    await scene.round();
    const more = await scene.paid(2);
    expect(await scene.crashAt(point)).toBe(1);
    for (const again of SWEEP_CRASH_POINTS) await scene.crashAt(again);
    await scene.rounds(4);
    await expectSweptOnce([...sessions, ...more]);
  });

  it('is one of several at once, and everything is swept once', async () => {
    const sessions = await scene.paid(14);
    for (let n = 0; n < 4; n++) {
      await Promise.all([scene.sweep(), scene.sweep(), scene.sweep()]);
      await scene.round();
    }
    await scene.rounds(2);
    await expectSweptOnce(sessions);
    expect((await scene.sweeps()).filter(({ kind }) => kind === 'deploy')).toHaveLength(1);
  });

  it('sends a sweep again that a fork dropped, or another one once its blockhash is too old', async () => {
    const sessions = await scene.paid(3);
    await scene.rounds(2);
    const more = await scene.paid(3);
    await scene.sweep();
    node.tick(2);
    await scene.sweep();
    expect((await scene.sweeps()).at(-1)).toMatchObject({ status: 'mined' });
    node.dropBlocks(4);
    for (const { address } of more) expect(scene.held(address)).toBe(PRICE);
    await scene.sweep();
    node.tick(BLOCKHASH_LIFETIME + FINALITY_LAG);
    await scene.rounds(4);
    await expectSweptOnce([...sessions, ...more]);
  });

  it('sweeps its own addresses, although one beside them is of another wallet or was never given', async () => {
    const own = keysFromSeed(seed);
    // The address of another index, and an index beyond those that the signer gave.
    const others = [{ ...own.addressesAt(9000), solana: own.addressesAt(9001).solana }, own.addressesAt(20_000)];
    const sessions = await scene.paid(2, 'USDT', others);
    await scene.rounds(2);
    scene.later(61);
    await scene.rounds(4);
    expect(sessions.map(({ address }) => scene.held(address))).toEqual([PRICE, PRICE, 0n, 0n]);
    expect(scene.held(scene.treasury)).toBe(2n * PRICE);
    const { rows } = await db.pool.query('SELECT skip_reason, skips FROM deposit_balances ORDER BY address');
    expect(rows).toEqual(Array.from({ length: 2 }, () => ({ skip_reason: 'not_authorized', skips: 2 })));
    const { length } = await scene.sweeps();
    await scene.rounds(2);
    expect(await scene.sweeps()).toHaveLength(length);
  });

  it('waits while the sponsor has too little coin', async () => {
    scene = await openSolanaSweepScene({ db, node, sponsor: 'spare', coin: 0n });
    const sessions = await scene.paid(6);
    await scene.rounds(2);
    expect([await scene.hold(), await scene.sweeps()]).toEqual(['sponsor_low', []]);
    await node.bank.airdrop(scene.sponsor as Address, 10_000_000n);
    node.tick();
    await scene.rounds(3);
    await expectSweptOnce(sessions);
  });

  it('waits while the fee budget of the hour is used up', async () => {
    // Enough to open the treasury's account and for one batch.
    scene = await openSolanaSweepScene({ db, node, feesPerHour: 2_100_000n });
    const sessions = await scene.paid(12);
    await scene.rounds(5);
    expect(await scene.hold()).toBe('budget');
    expect((await scene.sweeps()).map(({ status }) => status)).toEqual(['final', 'final']);
    scene.later(3601);
    await scene.rounds(4);
    await expectSweptOnce(sessions);
  });

  it('sends nothing while a compute unit is dear, until the deadline', async () => {
    const { chain } = scene.solana;
    const terms: typeof chain.terms = async (wallets) => ({ ...(await chain.terms(wallets)), unitPrice: 100_001n });
    scene.solana = { ...scene.solana, chain: { ...chain, terms } };
    const sessions = await scene.paid(2);
    await scene.rounds(2);
    expect([await scene.hold(), await scene.sweeps()]).toEqual(['fee_too_high', []]);
    scene.later(3600);
    await scene.rounds(4);
    await expectSweptOnce(sessions);
  });
});
