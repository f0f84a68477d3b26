// Coin that a sponsor on an EVM network sends to a stranger freezes signing within a minute. Coin to a deposit address is accepted only if the
// database or the signer has it as a sweep, so that a restored database freezes nothing. Agreement of endpoints is the same as for tokens.

import { Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '@/lib/platform/context';
import type { FakeNode, FakeTransaction } from '@/testing/evm/fake-evm-node';
import { REFUND_WALLET, STRANGER, TREASURY } from '@/testing/watching/outflows';
import { PINNED, SPARE, SPONSOR, TICK_SECONDS, useTip } from '@/testing/watching/tip-scene';
import { localEthereum } from '@/testing/watching/watched-chain';

const scene = useTip();
const { clock, context, closeOthers, held, mine, mineBlock, node, open, openAt, other, paid } = scene;
const { pool, row, secondsUntilFrozen, signed, transfer, unfreeze } = scene;
const HASH = `0x${'ab'.repeat(32)}`;
/** A sponsor whose key the test has. */
const KEYED = new Wallet(`0x${'5a'.repeat(32)}`);
const CODE = `0x${'c0'.repeat(20)}`;

const coin = (from: string, to: string | null, value = 5n, hash = HASH): FakeTransaction => ({
  ...{ from, to, value, hash, logs: [] },
});
const theft = [coin(SPONSOR, STRANGER)];

type Delegation = { chainId?: number; address?: string };

/** A transaction of a stranger with an authorization that the sponsor signed. */
function delegation({ chainId = localEthereum.chainId!, address = CODE }: Delegation = {}): FakeTransaction {
  const { signature, nonce } = KEYED.authorizeSync({ chainId, address, nonce: 0 });
  const { yParity, r, s } = signature;
  const listed = {
    chainId: `0x${chainId.toString(16)}`,
    address,
    nonce: `0x${nonce.toString(16)}`,
    yParity: `0x${yParity}`,
    r,
    s,
  };
  return { from: STRANGER, hash: HASH, logs: [], authorizations: [{ by: KEYED.address.toLowerCase(), listed }] };
}

/** The database stores a top-up of several variants. */
const swept = async (...hashes: string[]) =>
  pool().query(
    `INSERT INTO sweeps (environment, network, chain_id, kind, status, sender, request, terms, hashes, bytes, signed_at, created_at)
     VALUES ('test', 'ethereum', $1, 'top_up', 'signed', $2, '{}', '{}', $3, '0x', now(), now())`,
    [(await row()).id, SPONSOR, hashes],
  );

let deposit: string;
let step: Step;
beforeEach(async () => {
  deposit = (await paid()).address;
  node().finalDepth = 100;
  step = await justRead(node());
});
afterEach(() => closeOthers());

/** A step that has just read the newest block by its first endpoint: what follows waits longest. */
async function justRead(...nodes: FakeNode[]): Promise<Step> {
  const opened = open(...nodes);
  mine();
  await opened(context());
  return opened;
}
const until = (most?: number): Promise<number | null> => secondsUntilFrozen([step], most);

describe('coin freezes signing within a minute after its block', () => {
  it.each([
    ['from the sponsor', coin(SPONSOR, STRANGER)],
    ['from the spare sponsor', coin(SPARE, STRANGER)],
    ['to a new contract', coin(SPONSOR, null)],
    ['with a call of a token', { ...coin(SPONSOR, STRANGER), logs: [transfer(STRANGER, TREASURY)] }],
    [
      'in a transaction that fails, because the key has signed it',
      { ...coin(SPONSOR, STRANGER), status: '0x0' as const },
    ],
  ])('%s', async (_, stolen) => {
    mineBlock([stolen]);
    expect(await until()).toBeLessThan(60);
    expect(held.reasons).toEqual([`ETH left a sponsor on ethereum (test) without an intent: ${HASH}`]);
  });

  it('although the database has the hash as one of its own payments', async () => {
    await signed(HASH, 'a payment');
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
  });

  it('although the sponsor tops up addresses before, with and after it', async () => {
    await swept(...['1', '2', '3', '4', '5', '6'].map((digit) => `0x${digit.repeat(64)}`));
    const topUp = (digit: string) => coin(SPONSOR, deposit, 1n, `0x${digit.repeat(64)}`);
    mineBlock([topUp('1')]);
    mineBlock([topUp('2'), ...theft, topUp('3')]);
    for (const digit of ['4', '5', '6']) mineBlock([topUp(digit)]);
    expect(await until()).toBeLessThan(60);
    expect(held.reason).toContain(HASH);
  });

  it('also where a network has hundreds of blocks in that time', async () => {
    step = openAt(250, node());
    mine();
    await step(context());
    for (let blocks = 0; blocks < 37; blocks++) mine();
    mineBlock(theft);
    for (let blocks = 0; blocks < 150; blocks++) mine();
    expect(await until()).toBeLessThan(60);
  });

  it('once, also with two workers and after a restart', async () => {
    const steps = [step, open()];
    mineBlock(theft);
    await secondsUntilFrozen(steps);
    unfreeze();
    step = open();
    expect(await secondsUntilFrozen([...steps, step])).toBeNull();
    expect(held.reasons).toHaveLength(1);
    mineBlock([coin(SPONSOR, STRANGER, 5n, `0x${'cd'.repeat(32)}`)]);
    expect(await until()).toBeLessThan(60);
  });

  it('although it goes to a deposit address, whose key a thief has too, because no sweep sent it', async () => {
    mineBlock([coin(SPONSOR, deposit)]);
    expect(await until()).toBeLessThan(60);
    expect(held.reason).toContain(HASH);
  });

  it('although the database has the hash as a sweep, because it goes to a stranger', async () => {
    await swept(HASH);
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
  });

  it('although the signer is of an older version, which does not tell what it has signed', async () => {
    held.sweeps = null;
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
  });

  it('although the signer’s journal has the hash as a payment', async () => {
    held.journal = [HASH];
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
  });

  it('although the worker was restarted after the block', async () => {
    mineBlock(theft);
    step = open();
    expect(await until()).toBe(TICK_SECONDS);
  });

  it('although the endpoint has deleted all states but the newest ones', async () => {
    const kept = (): number => node().blocks.length - 3;
    node().tamper = ({ method, params }) =>
      method === 'eth_getTransactionCount' && Number(params[1]) < kept()
        ? { error: { code: -32000, message: 'missing trie node' } }
        : undefined;
    step = await justRead(node());
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
  });
});

describe('an authorization that a sponsor signed (EIP-7702)', () => {
  beforeEach(async () => {
    held.sponsor = KEYED.address.toLowerCase();
    step = await justRead(node());
  });

  it('freezes signing within a minute, also if a stranger sends it', async () => {
    mineBlock([delegation()]);
    expect(await until()).toBeLessThan(60);
    expect(held.reason).toContain(HASH);
  });

  it.each([
    ['removes the code', delegation({ address: `0x${'0'.repeat(40)}` })],
    ['is for another chain', delegation({ chainId: 7 })],
  ])('freezes nothing if it %s', async (_, one) => {
    mineBlock([one]);
    expect(await until()).toBeNull();
  });

  it('freezes nothing if it is of another key, or no signature at all, while the sponsor sweeps', async () => {
    const { listed } = delegation().authorizations![0]!;
    const others = [{ ...listed, nonce: '0x7' }, { ...listed, r: `0x${'f'.repeat(64)}` }, { nothing: true }];
    const sweep = { from: KEYED.address.toLowerCase(), to: CODE, hash: HASH, logs: [] };
    mineBlock([{ ...sweep, authorizations: others.map((one) => ({ by: STRANGER, listed: one })) }]);
    expect(await until()).toBeNull();
  });
});

describe('what a sponsor does for us never freezes signing', () => {
  it.each([
    ['coin for the treasury', () => coin(SPONSOR, TREASURY)],
    ['coin for the treasury that only the signer knows yet', () => coin(SPONSOR, PINNED)],
    ['coin for the other sponsor', () => coin(SPONSOR, SPARE)],
    ['coin for the refund wallet', () => coin(SPARE, REFUND_WALLET)],
    ['a sweep, which calls a contract without coin', () => coin(SPONSOR, STRANGER, 0n)],
  ])('%s, although nothing knows the transaction', async (_, own) => {
    mineBlock([own()]);
    expect(await until()).toBeNull();
  });

  it('a top-up of a deposit address, which is stored before it is sent', async () => {
    await swept(HASH);
    mineBlock([coin(SPONSOR, deposit)]);
    expect(await until()).toBeNull();
    const { rowCount } = await pool().query('SELECT FROM tip_outflows WHERE chain_id = $1', [(await row()).id]);
    expect(rowCount).toBe(0);
  });

  it('a top-up that a restored database has forgotten, because the signer has signed it', async () => {
    held.sweeps = [HASH];
    mineBlock([coin(SPONSOR, deposit)]);
    expect(await until()).toBeNull();
  });

  it('a top-up that a restored database has forgotten, where the signer is of an older version', async () => {
    held.sweeps = null;
    mineBlock([coin(SPONSOR, deposit)]);
    expect(await until()).toBeNull();
  });

  it('a top-up of a deposit address of the other environment', async () => {
    await swept(HASH);
    await pool().query(`UPDATE sessions SET environment = 'live' WHERE evm_address = $1`, [deposit]);
    mineBlock([coin(SPONSOR, deposit)]);
    expect(await until()).toBeNull();
  });

  it('a top-up that a reorg moves to another block', async () => {
    await swept(HASH);
    mineBlock([coin(SPONSOR, deposit)]);
    await until(30);
    node().drop(3);
    mine();
    mineBlock([coin(SPONSOR, deposit)]);
    expect(await until()).toBeNull();
    mineBlock([coin(SPONSOR, STRANGER, 5n, `0x${'cd'.repeat(32)}`)]);
    expect(await until()).toBeLessThan(60);
  });

  it('a top-up of an address that a restored database has forgotten, because the signer has signed it', async () => {
    held.sweeps = [HASH];
    mineBlock([coin(SPONSOR, STRANGER)]);
    expect(await until()).toBeNull();
    mineBlock([coin(SPONSOR, STRANGER, 5n, `0x${'cd'.repeat(32)}`)]);
    expect(await until()).toBeLessThan(60);
  });

  it('coin that anyone sends to it', async () => {
    mineBlock([coin(STRANGER, SPONSOR), coin(STRANGER, SPARE, 0n)]);
    expect(await until()).toBeNull();
  });
});

describe('of several endpoints', () => {
  it('enough report it within a minute, although one hides it', async () => {
    const [second, liar] = [await other(), await other()];
    for (const [at, nodes] of [
      [liar, node(), second],
      [node(), liar, second],
      [node(), second, liar],
    ].entries()) {
      step = await justRead(...nodes);
      mineBlock([coin(SPONSOR, STRANGER, 5n, `0x${String(at + 1).repeat(64)}`)], [liar]);
      expect(await until()).toBeLessThan(60);
      unfreeze();
    }
  });

  it('one that reports it among two freezes nothing: it may lie', async () => {
    const honest = await other();
    step = await justRead(node(), honest);
    mineBlock(theft, [honest]);
    expect(await until()).toBeNull();
  });

  it('two that report different recipients of the transaction freeze nothing', async () => {
    const liar = await other();
    step = await justRead(node(), liar);
    mineBlock(theft, [liar]);
    liar.blocks.at(-1)!.transactions.push({ ...node().blocks.at(-1)!.transactions[0]!, to: TREASURY });
    expect(await until()).toBeNull();
  });

  it('forged ones of a third are never confirmed, while two others report a theft', async () => {
    const [second, liar] = [await other(), await other()];
    step = await justRead(node(), second, liar);
    for (let blocks = 0; blocks < 12; blocks++) {
      clock.advance(1000 * TICK_SECONDS);
      mineBlock([coin(SPONSOR, STRANGER, 1n, `0x${String(blocks).padStart(64, '0')}`)], [node(), second]);
      await step(context());
    }
    expect(held.reasons).toEqual([]);
    mineBlock(theft);
    expect(await until()).toBeLessThan(60);
    expect(held.reason).toContain(HASH);
  });

  it('that do not report account nonces, tokens are still found, and the step fails after minutes', async () => {
    node().tamper = ({ method }) =>
      method === 'eth_getTransactionCount'
        ? { error: { code: -32601, message: 'the method does not exist' } }
        : undefined;
    step = await justRead(node());
    mine([transfer(SPONSOR, STRANGER, 5n)], HASH);
    expect(await until()).toBeLessThan(60);
    unfreeze();
    await expect(until(400)).rejects.toThrow('eth_getTransactionCount');
    node().tamper = () => undefined;
    await secondsUntilFrozen([step], 20, true);
    mineBlock([coin(SPONSOR, STRANGER, 5n, `0x${'cd'.repeat(32)}`)]);
    expect(await until()).toBeLessThan(60);
  });
});

it('reads a sweep with few requests, and each block once', async () => {
  const total = () => [...node().calls.values()].reduce((sum, count) => sum + count, 0);
  await until(60);
  const [before, idle] = [total(), 7 * 6];
  await swept(HASH);
  mineBlock([coin(SPONSOR, deposit)]);
  await until(120);
  // Two halvings of the four blocks since the last reading, and one block in full.
  expect(total() - before - idle).toBeLessThanOrEqual(4);
  expect((await row()).wallet_reviewed_until).toBeNull();
});
