// Sweeps when history changes, on a real EVM node: blocks are replaced, the database is restored, or somebody else moves the money.
// Nothing is lost, nothing is booked twice, and every address is free again.

import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

const OVERDUE = 30;

describe.each(SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, others, chain, db, price, backUp, transfersIn, expectSweptOnce, expectBalancedBooks } = useSweeps(
    row,
    {
      isSeedless,
    },
  );

  /** Paid sessions, and a contract whose deployment no reorg removes. */
  async function paid(count: number) {
    const sessions = await scene().paid(count);
    await scene().sweep();
    await chain().mine(20);
    await scene().sweep();
    return sessions;
  }

  it('a reorg of all blocks that are not final: the sweep is sent again and moves everything once', async () => {
    // On Ethereum three blocks, on BSC one.
    const depth = row.spec.confirmations - 1;
    const sessions = await paid(4);
    await chain().mine(depth - 1);
    expect(await scene().held(scene().treasury)).toBe(4n * price());
    await scene().sweep();
    expect((await scene().sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'mined' });
    await chain().reorganise(depth);
    expect(await scene().held(scene().treasury)).toBe(0n);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
  });

  it('a reorg of a sweep whose price no longer suffices: it is replaced, also while the next sweep waits behind it', async () => {
    const sessions = await paid(3);
    await scene().sweep();
    const more = await scene().session();
    await chain().pay({ currency: 'USDT', recipient: more.address, cents: 12_34n, scenario: 'exact' });
    await chain().reorganise(2);
    await others().setAutomine(false);
    // The node forgot the transaction, and takes none at its price.
    if (row.spec.hasBaseFee) await others().rpc('anvil_setNextBlockBaseFeePerGas', '0x12a05f2000');
    await chain().mine(1);
    await others().setAutomine(true);
    for (let n = 0; n < 5; n++) {
      scene().later(OVERDUE);
      await scene().round();
    }
    await expectSweptOnce(sessions);
  });

  it('a reorg of a payment that is not final yet: the sweep takes only what is there', async () => {
    const sessions = await scene().paid(2);
    await scene().rounds(1);
    const late = sessions[0]!;
    await scene().crashAt('after-sweep-signed');
    await chain().mine(4);
    await chain().pay({ currency: 'USDT', recipient: late.address, cents: 7_00n, scenario: 'exact' });
    await scene().sweep();
    await chain().reorganise(2);
    await scene().rounds(4);
    const late7 = 700n * (price() / 1234n);
    const [inTreasury, left] = [await scene().held(scene().treasury), await scene().held(late.address)];
    expect([2n * price(), 2n * price() + late7]).toContain(inTreasury);
    expect(left).toBe(0n);
    expect(await scene().treasuryInLedger()).toBe(inTreasury);
    const { rows } = await db().pool.query('SELECT amount::text FROM deposit_balances WHERE amount < 0');
    expect(rows).toEqual([]);
    await expectBalancedBooks();
  });

  it('the owner of the key moves the money to the treasury: it is booked once, and no sweep is sent', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    for (const { index } of sessions) await others().transferFrom(index, scene().treasury, price());
    await chain().mine(6);
    await scene().rounds(3);
    await expectSweptOnce(sessions);
    expect((await scene().sweeps()).filter(({ kind }) => kind === 'batch')).toEqual([]);
  });

  it('somebody else sweeps some addresses while the sweep waits: the second transfer moves nothing', async () => {
    const sessions = await scene().paid(4);
    await scene().rounds(1);
    await scene().crashAt('after-sweep-signed');
    for (const { index } of sessions.slice(0, 2)) await others().transferFrom(index, scene().treasury, price());
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect((await scene().sweeps()).at(-1)).toMatchObject({ status: 'final', moved: 2 });
  });

  it('coin and dust at the treasury, the sponsor and a deposit address change nothing', async () => {
    const sessions = await scene().paid(2);
    const stranger = new Wallet(Wallet.createRandom().privateKey);
    await others().addCoin(stranger.address);
    for (const to of [scene().treasury, scene().sponsor, sessions[0]!.address])
      await others().send(stranger, { to, value: 5n });
    await scene().rounds(4);
    await expectSweptOnce(sessions);
  });

  it('a database that is restored to before the sweeps: the chain has them, and nothing is booked twice', async () => {
    const sessions = await scene().paid(3);
    const restore = await backUp();
    await scene().rounds(5);
    await expectSweptOnce(sessions);
    await restore();
    expect(await transfersIn()).toBe(0);
    const more = await scene().paid(2);
    for (let n = 0; n < 5; n++) {
      scene().later(700);
      await scene().round();
    }
    await expectSweptOnce([...sessions, ...more]);
  });

  it('a database that is restored to a planned sweep: its account nonce is used, so its addresses are free again', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(2);
    const more = await scene().paid(2);
    await scene().crashAt('after-sweep-planned');
    const restore = await backUp();
    await scene().rounds(4);
    // After the restore another sweep has this nonce.
    const later = await scene().paid(2);
    await scene().rounds(4);
    await restore();
    for (let n = 0; n < 6; n++) {
      scene().later(700);
      await scene().round();
    }
    // The sessions after the backup are lost with it. Their money is in the treasury.
    expect(await scene().held(scene().treasury)).toBe(7n * price());
    expect(await scene().held(later[0]!.address)).toBe(0n);
    expect(await scene().treasuryInLedger()).toBe(5n * price());
    expect(await transfersIn()).toBe(sessions.length + more.length);
    expect((await scene().sweeps()).filter(({ status }) => ['planned', 'signed', 'mined'].includes(status))).toEqual(
      [],
    );
    await expectBalancedBooks();
  });
});
