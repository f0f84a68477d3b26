// Sweeps whose transaction waits outside a block on a real EVM node: dropped, replaced, too cheap, or without coin for fees.

import { toQuantity } from 'ethers';
import { describe, expect, it } from 'vitest';
import { SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';
import { EVM_NETWORKS } from './evm/start';

const [ETHEREUM] = EVM_NETWORKS;
/** More than the time until a transaction outside a block gets a higher price. */
const OVERDUE = 30;

describe.each(SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const sweeps = useSweeps(row, { isSeedless });
  const { scene, others, chain, expectSweptOnce, expectNoGap } = sweeps;

  /** Paid sessions whose batch waits in the pool. The contract is there already. */
  async function waiting(count = 3) {
    const sessions = await scene().paid(count);
    // Deploys the contract.
    await scene().sweep();
    await others().setAutomine(false);
    await scene().sweep();
    expect(await scene().sweeps()).toMatchObject([{ kind: 'deploy' }, { kind: 'batch', status: 'signed' }]);
    return sessions;
  }
  const newest = async () => (await scene().sweeps()).at(-1)!;

  it('a transaction that a node dropped is sent again', async () => {
    const before = await others().count(scene().sponsor);
    const sessions = await waiting();
    const [hash] = await others().pool();
    await others().drop(hash!);
    expect(await others().pool()).toEqual([]);
    await scene().sweep();
    expect(await others().pool()).toEqual([hash]);
    await others().setAutomine(true);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    await expectNoGap(before);
    expect(await newest()).toMatchObject({ variants: 1 });
  });

  it('a transaction that stays in the pool is replaced at a higher price with the same account nonce', async () => {
    const before = await others().count(scene().sponsor);
    const sessions = await waiting();
    const [first] = await others().pool();
    await scene().sweep();
    expect(await others().pool()).toEqual([first]);
    scene().later(OVERDUE);
    await scene().sweep();
    const [second, ...more] = await others().pool();
    expect(second).not.toBe(first);
    expect(more).toEqual([]);
    expect(await newest()).toMatchObject({ variants: 2 });
    await others().setAutomine(true);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    await expectNoGap(before);
  });

  it('a replaced transaction that lands instead of the newest one ends the sweep', async () => {
    const sessions = await waiting();
    const [first] = await others().pool();
    const raw = await others().rpc('eth_getRawTransactionByHash', first);
    scene().later(OVERDUE);
    await scene().sweep();
    const [second] = await others().pool();
    await others().drop(second!);
    await others().rpc('eth_sendRawTransaction', raw);
    await chain().mine(1);
    await others().setAutomine(true);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect(await newest()).toMatchObject({
      status: 'final',
      variants: 2,
      nonce: (await others().count(scene().sponsor)) - 1,
    });
  });

  it('a transaction of the sponsor that another program sent and a node dropped leaves no gap', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    const before = await others().count(scene().sponsor);
    await others().setAutomine(false);
    // The node reports a transaction that waits, so the sweep takes the nonce after it.
    await others().rpc('anvil_impersonateAccount', scene().sponsor);
    const transfer = {
      from: scene().sponsor,
      to: scene().treasury,
      value: '0x1',
      gas: toQuantity(30_000),
      gasPrice: toQuantity(5_000_000_000),
    };
    const other = await others().rpc('eth_sendTransaction', transfer);
    await others().rpc('anvil_stopImpersonatingAccount', scene().sponsor);
    await scene().sweep();
    expect(await newest()).toMatchObject({ kind: 'batch', nonce: before + 1 });
    await others().drop(other);
    await others().setAutomine(true);
    for (let n = 0; n < 6; n++) {
      scene().later(OVERDUE);
      await scene().round();
    }
    await expectSweptOnce(sessions);
  });

  it('the sponsor has too little coin: sweeps wait, and go on after it was filled', async () => {
    const sessions = await scene().paid(3);
    await scene().setCoin(1n);
    await scene().rounds(2);
    expect(await scene().hold()).toBe('sponsor_low');
    expect(await scene().sweeps()).toEqual([]);
    await scene().setCoin(10n ** 18n);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect(await scene().hold()).toBe(null);
  });

  it('the sponsor loses its coin after a sweep was signed: it waits, and goes on after it was filled', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(1);
    await scene().crashAt('after-sweep-signed');
    await scene().setCoin(1n);
    await scene().rounds(2);
    expect(await scene().hold()).toBe('sponsor_low');
    scene().later(OVERDUE);
    await scene().rounds(2);
    expect(await scene().hold()).toBe('sponsor_low');
    expect(await newest()).toMatchObject({ variants: 1 });
    await scene().setCoin(10n ** 18n);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
  });
});

describe('while the network stands still', () => {
  const { scene, others, expectSweptOnce } = useSweeps(ETHEREUM!);

  it('the price of a sweep does not climb without bound', async () => {
    const sessions = await scene().paid(2);
    await scene().sweep();
    await others().setAutomine(false);
    await scene().sweep();
    for (let n = 0; n < 120; n++) {
      scene().later(OVERDUE);
      await scene().sweep();
    }
    const { variants } = (await scene().sweeps()).at(-1)!;
    expect(variants).toBeGreaterThan(2);
    expect(variants).toBeLessThan(12);
    await others().setAutomine(true);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
  });
});

describe('a base fee that rises tenfold', () => {
  const cheap = { floor: 1n, multiple: 50n, count: 50, amount: 1n, wait: 0, deadline: 0 };
  const { scene, others, db, chain, expectSweptOnce } = useSweeps(ETHEREUM!);
  const GWEI = 10n ** 9n;

  const setBaseFee = (price: bigint) => others().rpc('anvil_setNextBlockBaseFeePerGas', toQuantity(price));
  /** Rounds whose blocks have this base fee. */
  async function rounds(count: number, price: bigint) {
    for (let n = 0; n < count; n++) {
      await setBaseFee(price);
      await chain().mine(1);
      await setBaseFee(price);
      await scene().sweep({ rules: cheap });
      await scene().round();
    }
  }

  it('makes sweeps wait that cost more than a fiftieth of the money, and later all are swept once', async () => {
    await db().pool.query(`INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('ETH', 2500, now())`);
    const sessions = await scene().paid(4);
    for (let n = 0; n < 4; n++) {
      await setBaseFee(20n * GWEI);
      await chain().mine(1);
      await scene().sweep({ rules: cheap });
    }
    expect(await scene().hold()).toBe('fee_too_high');
    expect((await scene().sweeps()).filter(({ kind }) => kind === 'batch')).toEqual([]);
    await rounds(4, GWEI / 100n);
    await scene().rounds(3);
    await expectSweptOnce(sessions);
  });

  it('after a sweep was sent replaces it, and it is swept once', async () => {
    const sessions = await scene().paid(4);
    await scene().sweep();
    await others().setAutomine(false);
    await scene().sweep();
    await setBaseFee(30n * GWEI);
    await chain().mine(1);
    expect(await scene().held(scene().treasury)).toBe(0n);
    for (let n = 0; n < 3; n++) {
      scene().later(OVERDUE);
      await scene().sweep();
    }
    await others().setAutomine(true);
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    expect((await scene().sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final' });
  });

  it('above the limit of the network holds new sweeps and replacements', async () => {
    const sessions = await scene().paid(2);
    await setBaseFee(400n * GWEI);
    await chain().mine(1);
    await scene().sweep();
    expect(await scene().hold()).toBe('fee_too_high');
    expect(await scene().sweeps()).toEqual([]);
    await setBaseFee(GWEI);
    await scene().rounds(5);
    await expectSweptOnce(sessions);
  });
});

describe('the money of one token', () => {
  const { scene, db, others } = useSweeps(ETHEREUM!);
  const rules = { floor: 1n, multiple: 50n, count: 50, amount: 1n, wait: 0, deadline: 0 };

  it('that is not worth its fee does not hold back that of another one', async () => {
    const [poor] = await scene().paid(1);
    const [rich] = await scene().paid(1, 'USDC');
    await scene().pay(rich!.address, 5000_00n, 'USDC');
    // Deploys the contract.
    await scene().sweep();
    await others().setAutomine(false);
    // A transfer costs a little less than a fiftieth of what the first address holds, and a sweep of it alone more.
    const { maxFeePerGas, maxPriorityFeePerGas } = await scene().evm.chain.prices();
    const wei = scene().spec.transferGas * ((maxFeePerGas + maxPriorityFeePerGas) / 2n);
    const dollars = 0.239 / (Number(wei) / 1e18);
    await db().pool.query(`INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('ETH', $1, now())`, [
      dollars.toFixed(8),
    ]);
    await scene().sweep({ rules });
    const { rows } = await db().pool.query(
      'SELECT s.currency, i.address FROM sweeps s JOIN sweep_items i ON i.sweep_id = s.id',
    );
    expect(rows).toEqual([{ currency: 'USDC', address: rich!.address }]);
    expect(await scene().held(poor!.address)).toBeGreaterThan(0n);
  });
});
