// Payments into other token accounts of deposit addresses on Solana, which anybody can open: they are credited, and swept like the others.

import type { Address } from '@solana/kit';
import {
  AuthorityType,
  getCloseAccountInstruction,
  getFreezeAccountInstruction,
  getSetAuthorityInstruction,
  getThawAccountInstruction,
} from '@solana-program/token';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { armCrashPoint } from '@/lib/platform/crash-point';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openSolanaSweepScene, type SolanaSweepScene } from '@/testing/sweeps/solana-sweep-scene';
import { startSolanaNode, type SolanaNode } from './solana/node';

const PRICE = 12_340_000n;

let db: TestDatabase;
let node: SolanaNode;
let scene: SolanaSweepScene;
beforeAll(async () => void (node = await startSolanaNode({ tick: 'manual' })), 60_000);
afterAll(() => node.stop());
beforeEach(async () => {
  db = await openTestDatabase();
  scene = await openSolanaSweepScene({ db, node });
});
afterEach(async () => {
  armCrashPoint(undefined);
  await db.close();
});

/** Pays into a new token account of this wallet, which is not its associated one. It is in a block when this resolves. */
async function payElsewhere(to: string, amount = PRICE): Promise<Address> {
  const account = await node.bank.createAuxiliaryAccount(to as Address, scene.mint());
  await node.bank.mint({ to: to as Address, mint: scene.mint(), amount, account });
  node.tick();
  return account;
}

/** Sessions whose price is final, and was paid into another account than the associated one. */
async function paidElsewhere(count: number) {
  await scene.watch();
  const sessions = [];
  for (let n = 0; n < count; n++) sessions.push(await scene.session());
  const paid = [];
  for (const session of sessions) paid.push({ ...session, account: await payElsewhere(session.address) });
  scene.finalize();
  await scene.watch();
  return paid;
}

async function expectSwept(sessions: readonly { readonly address: string }[], amount: bigint): Promise<void> {
  for (const { address } of sessions) expect(scene.held(address)).toBe(0n);
  expect(scene.held(scene.treasury)).toBe(amount);
  expect(await scene.treasuryInLedger()).toBe(amount);
  expect(scene.frozen).toEqual([]);
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
}

it('sweeps a payment into another token account of its address, and leaves that account open', async () => {
  const elsewhere = await paidElsewhere(2);
  const usual = await scene.paid(2);
  await scene.rounds(4);
  await expectSwept([...elsewhere, ...usual], 4n * PRICE);
  expect(await scene.sweeps()).toMatchObject([
    { kind: 'deploy', status: 'final' },
    { kind: 'batch', status: 'final', moved: 2, close: true },
    { kind: 'batch', status: 'final', moved: 2, close: false },
  ]);
  for (const { account } of elsewhere) expect(node.ledger.accounts.now(account)).not.toBe(null);
  expect((await db.pool.query('SELECT address FROM deposit_balances')).rows).toEqual([]);
});

it('sweeps the accounts of one address one after another, the one with most first', async () => {
  const [session] = await scene.paid(1);
  await payElsewhere(session!.address, 2_000_000n);
  await payElsewhere(session!.address, 3_000_000n);
  scene.finalize();
  await scene.watch();
  scene.later(3600);
  await scene.rounds(5);
  await expectSwept([session!], PRICE + 5_000_000n);
  const { rows } = await db.pool.query('SELECT moved::text FROM sweep_items ORDER BY sweep_id');
  expect(rows).toEqual([String(PRICE), '3000000', '2000000'].map((moved) => ({ moved })));
});

it('leaves out another token account that the issuer has frozen, and sweeps it once it is no longer frozen', async () => {
  const [frozen, other] = await paidElsewhere(2);
  const { issuer } = node.bank;
  const owned = { account: frozen!.account, mint: scene.mint(), owner: issuer };
  await node.bank.send(issuer, [getFreezeAccountInstruction(owned)]);
  node.tick();
  await scene.rounds(3);
  await expectSwept([other!], PRICE);
  const { rows } = await db.pool.query('SELECT address, skip_reason FROM deposit_balances');
  expect(rows).toEqual([{ address: frozen!.address, skip_reason: 'refused' }]);
  await node.bank.send(issuer, [getThawAccountInstruction(owned)]);
  node.tick();
  scene.later(86_401);
  await scene.rounds(3);
  await expectSwept([frozen!, other!], 2n * PRICE);
});

it('sweeps the associated account although the issuer has frozen another one that holds more', async () => {
  const [session] = await scene.paid(1);
  const { issuer } = node.bank;
  const owned = { account: await payElsewhere(session!.address, 2n * PRICE), mint: scene.mint(), owner: issuer };
  scene.finalize();
  await scene.watch();
  await node.bank.send(issuer, [getFreezeAccountInstruction(owned)]);
  node.tick();
  await scene.rounds(3);
  expect(scene.held(scene.treasury)).toBe(PRICE);
  await node.bank.send(issuer, [getThawAccountInstruction(owned)]);
  node.tick();
  scene.later(86_401);
  await scene.rounds(3);
  await expectSwept([session!], 3n * PRICE);
});

it('waits for a signer of the former version, which does not understand the order, and holds back no other address', async () => {
  const { signer } = scene.sweeping;
  const sweep: typeof signer.sweep = (params) =>
    JSON.stringify(params).includes('"account"')
      ? Promise.reject(new AddressSourceError('refused', 'the signer does not understand the call'))
      : signer.sweep(params);
  const elsewhere = await paidElsewhere(1);
  const usual = await scene.paid(1);
  Object.assign(scene.sweeping, { signer: { ...signer, sweep } });
  await scene.rounds(4);
  await expectSwept(usual, PRICE);
  Object.assign(scene.sweeping, { signer });
  scene.later(3601);
  await scene.rounds(3);
  await expectSwept([...elsewhere, ...usual], 2n * PRICE);
});

it('sweeps another token account once although the worker ends before the signature is stored', async () => {
  const sessions = await paidElsewhere(1);
  await scene.round();
  expect(await scene.crashAt('after-sweep-planned')).toBe(1);
  await scene.rounds(3);
  await expectSwept(sessions, PRICE);
});

it('sweeps an account that was made over to its address, although its former owner alone can close it', async () => {
  const { bank } = node;
  await scene.watch();
  const { address } = await scene.session();
  const former = await bank.newHolder();
  const account = await bank.createAuxiliaryAccount(former.address, scene.mint());
  const make = (authorityType: AuthorityType, newAuthority: Address) =>
    getSetAuthorityInstruction({ owned: account, owner: former, authorityType, newAuthority });
  const [close, owner] = [AuthorityType.CloseAccount, AuthorityType.AccountOwner];
  await bank.send(former, [make(close, former.address), make(owner, address as Address)]);
  await bank.mint({ to: address as Address, mint: scene.mint(), amount: PRICE, account });
  node.tick();
  scene.finalize();
  await scene.watch();
  await scene.rounds(3);
  await expectSwept([{ address }], PRICE);
  expect((await scene.sweeps()).map(({ status }) => status)).toEqual(['final', 'final']);
  const before = BigInt(node.ledger.accounts.now(former.address)?.lamports ?? 0);
  await bank.send(former, [getCloseAccountInstruction({ account, destination: former.address, owner: former })]);
  expect(BigInt(node.ledger.accounts.now(former.address)?.lamports ?? 0)).toBeGreaterThan(before);
});
