// Deposit addresses that cannot be swept, on a real EVM node: blocked by the issuer, delegated to other code, or of another wallet. They
// stop no other one, and are tried again later and later.

import { ZeroAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { MAX_AUTHORIZATION_NONCE } from '@/lib/signer/client';
import { LOOP } from '@/testing/sweeps/on-chain';
import { SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';
import { EVM_NETWORKS } from './evm/start';

const [ETHEREUM, BSC] = EVM_NETWORKS;
const [HOUR, DAY] = [3600, 86_400];
/** How the owner of a network's USDT blocks an address and lifts that. */
const BLOCKING = { ethereum: ['addBlackList', 'removeBlackList'], bsc: ['blacklist', 'unBlacklist'] } as const;

describe.each(SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, others, db, open, use, price, expectBalancedBooks, expectSweptOnce } = useSweeps(row, { isSeedless });
  const [block, unblock] = BLOCKING[row.network as keyof typeof BLOCKING];

  const postponed = async () =>
    (
      await db().pool.query<{ address: string; reason: string; skips: number; seconds: number }>(
        `SELECT address, skip_reason AS reason, skips, round(extract(epoch FROM not_before - $1))::int AS seconds
         FROM deposit_balances WHERE not_before > $1 ORDER BY address`,
        [scene().context.clock.now()],
      )
    ).rows;

  it('one blocked address of twenty stays, is tried again after an hour, four hours and a day, and others go on', async () => {
    const sessions = await scene().paid(20);
    const bad = sessions[7]!;
    await others().asIssuer(block, [bad.address]);
    await scene().rounds(5);
    expect(await scene().held(scene().treasury)).toBe(19n * price());
    expect(await postponed()).toMatchObject([{ address: bad.address, reason: 'refused', skips: 1 }]);
    expect((await scene().sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final', moved: 19 });

    for (const [pause, skips, next] of [
      [HOUR, 2, 4 * HOUR],
      [4 * HOUR, 3, DAY],
      [DAY, 4, DAY],
    ] as const) {
      scene().later(pause - 60);
      await scene().rounds(2);
      expect(await postponed()).toMatchObject([{ skips: skips - 1 }]);
      scene().later(120);
      const [good] = await scene().paid(1);
      await scene().rounds(3);
      expect(await scene().held(good!.address)).toBe(0n);
      const [{ seconds } = { seconds: 0 }] = await postponed();
      expect(await postponed()).toMatchObject([{ address: bad.address, reason: 'refused', skips }]);
      expect(Math.abs(seconds - next)).toBeLessThan(30);
    }
    await others().asIssuer(unblock, [bad.address]);
    scene().later(DAY);
    await scene().rounds(3);
    expect(await scene().held(bad.address)).toBe(0n);
    expect(await postponed()).toEqual([]);
    expect(scene().frozen).toEqual([]);
    await expectBalancedBooks();
  });

  it('the blocked address that holds the most stops no other one', async () => {
    const sessions = await scene().paid(5);
    const bad = sessions[2]!;
    await scene().pay(bad.address, 500_00n);
    await others().asIssuer(block, [bad.address]);
    await scene().rounds(5);
    expect(await scene().held(scene().treasury)).toBe(4n * price());
    expect(await postponed()).toMatchObject([{ address: bad.address, reason: 'refused' }]);
  });

  it('blocked addresses alone cost no fees, and each is postponed', async () => {
    const sessions = await scene().paid(3);
    for (const { address } of sessions) await others().asIssuer(block, [address]);
    await scene().rounds(4);
    expect((await scene().sweeps()).filter(({ kind }) => kind === 'batch')).toEqual([]);
    expect(await postponed()).toHaveLength(3);
    for (const { address } of sessions) await others().asIssuer(unblock, [address]);
    scene().later(HOUR + 60);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
  });

  it('an address whose delegation was cleared by its key is swept with its next account nonce', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    await others().delegate(sessions[1]!.index, ZeroAddress);
    for (const { address } of sessions) await scene().pay(address, 12_34n);
    await scene().rounds(3);
    expect(await scene().held(scene().treasury)).toBe(6n * price());
    expect((await scene().sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final', moved: 3 });
  });

  it('an address with foreign code freezes the signer within a run, and nothing is signed', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    const code = await others().place(LOOP);
    await others().delegate(sessions[0]!.index, code);
    await scene().sweep();
    expect(await scene().signer.calls.state()).toMatchObject({ frozen: true });
    expect(await postponed()).toMatchObject([{ address: sessions[0]!.address, reason: 'foreign_delegation' }]);
    await scene().sweep();
    expect(await scene().hold()).toBe('frozen');
    expect((await scene().sweeps()).filter(({ kind }) => kind === 'batch')).toEqual([]);
  });

  it('foreign code on a public test network freezes nothing: the address is skipped, and the others are swept', async () => {
    const testnet = await open({ chainKind: 'testnet' });
    use(testnet);
    const [bad, ...good] = await testnet.paid(3);
    await testnet.rounds(1);
    await others().delegate(bad!.index, await others().place(LOOP));
    await testnet.rounds(3);
    expect(await testnet.signer.calls.state()).toMatchObject({ frozen: false });
    expect(await postponed()).toMatchObject([{ address: bad!.address, reason: 'foreign_delegation' }]);
    for (const { address } of good) expect(await testnet.held(address)).toBe(0n);
    expect(await testnet.held(bad!.address)).toBe(price());
  });

  it('an address that gets foreign code before the sweep lands stops no other one, and freezes the signer then', async () => {
    const sessions = await scene().paid(6);
    await scene().rounds(4);
    for (const { address } of sessions) await scene().pay(address, 12_34n);
    await scene().crashAt('after-sweep-signed');
    await others().delegate(sessions[3]!.index, await others().place(LOOP));
    await scene().rounds(2);
    expect(await scene().held(scene().treasury)).toBe(11n * price());
    expect((await scene().sweeps()).at(-1)).toMatchObject({ status: 'final', moved: 5 });
    expect(await postponed()).toMatchObject([{ address: sessions[3]!.address, reason: 'foreign_delegation' }]);
    expect(await scene().signer.calls.state()).toMatchObject({ frozen: true });
    await expectBalancedBooks();
  });

  it('an address whose key sent more transactions than a delegation may follow is swept by itself, or waits where its key is offline', async () => {
    const [used, ...unused] = await scene().paid(3);
    await scene().rounds(1);
    await others().rpc('anvil_setNonce', used!.address, `0x${(MAX_AUTHORIZATION_NONCE + 1).toString(16)}`);
    await scene().rounds(6);
    // Such an address has to send its tokens itself.
    await expectSweptOnce(isSeedless ? unused : [used!, ...unused]);
    expect(await scene().held(used!.address)).toBe(isSeedless ? price() : 0n);
    const waiting = [{ address: used!.address, reason: 'not_authorized' }];
    expect(await postponed()).toMatchObject(isSeedless ? waiting : []);
  });

  it('an address of another wallet stops no other one', async () => {
    const sessions = await scene().paid(3);
    const bad = sessions[1]!;
    await db().pool.query('UPDATE sessions SET address_index = 5000 WHERE id = $1', [bad.id]);
    await scene().rounds(4);
    expect(await scene().held(scene().treasury)).toBe(2n * price());
    expect(await postponed()).toMatchObject([{ address: bad.address, reason: 'not_authorized' }]);
  });

  it('an address that the signer never gave stops no other one', async () => {
    const sessions = await scene().paid(3);
    const bad = sessions[1]!;
    await db().pool.query('UPDATE sessions SET address_index = 2000000 WHERE id = $1', [bad.id]);
    await scene().rounds(4);
    expect(await scene().held(scene().treasury)).toBe(2n * price());
    expect(await postponed()).toMatchObject([{ address: bad.address, reason: 'not_authorized' }]);
  });

  it('an address whose key sent a transaction before the sweep lands is swept later, with its next account nonce', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    await scene().crashAt('after-sweep-signed');
    const owner = others().depositWallet(sessions[1]!.index);
    await others().addCoin(owner.address);
    // Its authorization has the former nonce, so the node skips it.
    await others().send(owner, { to: owner.address });
    await scene().rounds(3);
    expect(await scene().held(scene().treasury)).toBe(2n * price());
    expect(await postponed()).toMatchObject([{ address: sessions[1]!.address, reason: 'refused' }]);
    scene().later(HOUR + 60);
    await scene().rounds(3);
    await expectSweptOnce(sessions);
  });

  it('an address that gets foreign code does not keep the only other one from moving', async () => {
    const sessions = await scene().paid(2);
    await scene().rounds(4);
    for (const { address } of sessions) await scene().pay(address, 12_34n);
    await scene().crashAt('after-sweep-signed');
    await others().delegate(sessions[0]!.index, await others().place(LOOP));
    await scene().rounds(2);
    expect(await scene().held(scene().treasury)).toBe(3n * price());
    expect((await scene().sweeps()).at(-1)).toMatchObject({ status: 'final', moved: 1 });
  });

  it('an address that somebody else emptied is no reason for an alarm', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    await scene().crashAt('after-sweep-signed');
    await others().transferFrom(sessions[0]!.index, scene().treasury, price());
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect(await postponed()).toEqual([]);
    const { rows } = await db().pool.query('SELECT reason FROM sweep_items WHERE reason IS NOT NULL');
    expect(rows).toEqual([{ reason: 'empty' }]);
  });
});

describe('the issuer of a token', () => {
  const { scene, others, price, expectBalancedBooks } = useSweeps(ETHEREUM!);

  it('pauses it: nothing is sent, other tokens go on, and all are swept later', async () => {
    const sessions = await scene().paid(3);
    const usdc = await scene().paid(2, 'USDC');
    await others().asIssuer('setPaused', [true]);
    await scene().rounds(5);
    expect(await scene().held(scene().treasury, 'USDC')).toBe(2n * price('USDC'));
    expect((await scene().sweeps()).filter(({ kind }) => kind === 'batch')).toHaveLength(1);
    await others().asIssuer('setPaused', [false]);
    scene().later(HOUR + 60);
    await scene().rounds(4);
    for (const { address } of [...sessions, ...usdc]) expect(await scene().held(address)).toBe(0n);
    expect(await scene().held(scene().treasury)).toBe(3n * price());
    await expectBalancedBooks();
  });

  it('takes a fee for transfers: less arrives, the ledger has what arrived, and nothing is frozen', async () => {
    const sessions = await scene().paid(3);
    await others().asIssuer('setParams', [10, 1_000_000]);
    await scene().rounds(5);
    for (const { address } of sessions) expect(await scene().held(address)).toBe(0n);
    const fee = price() / 1000n;
    expect(await scene().held(scene().treasury)).toBe(3n * (price() - fee));
    expect(await scene().treasuryInLedger()).toBe(3n * (price() - fee));
    expect(scene().frozen).toEqual([]);
    await expectBalancedBooks();
    await others().asIssuer('setParams', [0, 0]);
  });
});

describe('an issuer that blocks the receiver', () => {
  const { scene, others, db, price, expectBalancedBooks, expectSweptOnce } = useSweeps(BSC!);

  it('blocks the treasury: nothing is sent, and sweeps go on after it is lifted', async () => {
    const sessions = await scene().paid(3);
    await others().asIssuer('blacklist', [scene().treasury]);
    await scene().rounds(5);
    expect((await scene().sweeps()).filter(({ kind }) => kind === 'batch')).toEqual([]);
    for (const { address } of sessions) expect(await scene().held(address)).toBe(price());
    await others().asIssuer('unBlacklist', [scene().treasury]);
    scene().later(HOUR + 60);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect(await scene().hold()).toBe(null);
  });

  it('begins no sweep of a token for which the hourly check has found the treasury blocked, and goes on after it', async () => {
    const sessions = await scene().paid(2);
    const other = await scene().paid(1, 'USDC');
    await db().pool.query(
      `INSERT INTO own_wallets (environment, network, address, roles, blocked) VALUES ('test', 'bsc', $1, '{treasury}', '{USDT}'),
         ('test', 'bsc', 'a former one', '{former_treasury}', '{USDT}')`,
      [scene().treasury],
    );
    await scene().rounds(6);
    expect(await scene().hold()).toBe('treasury_blocked');
    expect(await scene().held(scene().treasury)).toBe(0n);
    for (const { address } of other) expect(await scene().held(address, 'USDC')).toBe(0n);
    await db().pool.query(`UPDATE own_wallets SET blocked = '{}' WHERE address = $1`, [scene().treasury]);
    await scene().rounds(4);
    for (const { address } of sessions) expect(await scene().held(address)).toBe(0n);
    expect([await scene().held(scene().treasury), await scene().hold()]).toEqual([2n * price(), null]);
    await expectBalancedBooks();
  });
});
