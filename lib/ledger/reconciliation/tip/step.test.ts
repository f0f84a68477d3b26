// A theft of tokens on an EVM network freezes signing within a minute after its block, long before it is final. Our own transactions do not.

import { describe, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import type { FollowedChain } from '@/lib/networks/registry';
import type { SignerState } from '@/lib/signer/client';
import { silentLog } from '@/testing/chain-clock';
import { transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { REFUND_WALLET, STRANGER, TREASURY, useOutflows } from '@/testing/watching/outflows';
import { DUE, localEthereum, usdt } from '@/testing/watching/watched-chain';
import { tipOutflowStep } from './step';

const { clock, context, node, newNode, pool, row, paid, signer, frozen, send, chainOf } = useOutflows();

const [SPONSOR, SPARE] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`];
const HASH = `0x${'ab'.repeat(32)}`;
/** As the worker runs the step. */
const TICK_SECONDS = 5;
/** A chain with the rhythm of a public one: the step sets the pauses. */
const spec = { ...localEthereum, chain: 'mainnet' as const };

const ours = {
  ...signer,
  state: async () => {
    const { wallets } = await signer.state();
    const sweeps = [{ network: 'ethereum', environment: 'test', sponsor: SPONSOR, spareSponsor: SPARE }];
    return { wallets, sweeps } as unknown as SignerState;
  },
};
const open = (chain: FollowedChain = { ...chainOf(node().url), spec }) =>
  tipOutflowStep(chain, { TREASURY_WALLETS: [`ethereum@mainnet=${TREASURY}`] }, ours);

/** Runs the step as the worker does, at most for this long. Returns the seconds until it froze signing, or null. */
async function secondsUntilFrozen(step: ReturnType<typeof open>, most = 120): Promise<number | null> {
  for (let seconds = TICK_SECONDS; seconds <= most; seconds += TICK_SECONDS) {
    clock.advance(1000 * TICK_SECONDS);
    await step(context());
    if (frozen.length > 0) return seconds;
  }
  return null;
}

let step: ReturnType<typeof open>;
/** The step has just read the newest block: what follows waits longest. */
async function justRead(chain?: FollowedChain): Promise<void> {
  step = open(chain);
  await step(context());
}
const twoEndpoints = (...urls: string[]): FollowedChain => {
  const trust = { above: 10n ** 9n, abovePerHour: 10n ** 9n, endpoints: 2 };
  const adapter = openEvmAdapter({ spec: localEthereum, urls, trust, clock, log: silentLog(), timeoutMs: 3000 });
  return { ...chainOf(node().url), spec, adapter };
};

describe('tokens that leave without an intent', () => {
  it.each([
    ['the refund wallet', REFUND_WALLET],
    ['the sponsor', SPONSOR],
    ['the spare sponsor', SPARE],
  ])('from %s freeze signing within a minute after the block', async (_, wallet) => {
    await paid();
    await justRead();
    send(wallet, STRANGER, 5n, HASH);
    const seconds = await secondsUntilFrozen(step);
    expect(seconds).toBeLessThan(60);
    expect(frozen).toEqual([`USDT left a wallet on ethereum (test) without an intent: ${HASH}`]);
    const { rowCount } = await pool().query('SELECT FROM chains WHERE final_number >= $1', [node().blocks.length - 1]);
    expect(rowCount).toBe(0);
  });

  it('from a deposit address freeze signing within a minute after the block, while no session is open', async () => {
    const { address } = await paid();
    await justRead();
    send(address, STRANGER);
    expect(await secondsUntilFrozen(step)).toBeLessThan(60);
  });

  it('in a transaction that also sweeps to the treasury freeze signing, if they are more than the token’s fee', async () => {
    const { address } = await paid();
    await justRead();
    const part = DUE / 400n;
    node().mine([
      { logs: [transferLog(usdt, address, STRANGER, part), transferLog(usdt, address, TREASURY, DUE - part)] },
    ]);
    expect(await secondsUntilFrozen(step)).toBeLessThan(60);
  });

  it('freeze signing once: an operator can unfreeze before the block is final', async () => {
    await paid();
    await justRead();
    send(REFUND_WALLET, STRANGER);
    await secondsUntilFrozen(step);
    frozen.length = 0;
    expect(await secondsUntilFrozen(step)).toBeNull();
  });

  it('freeze signing although the worker was restarted after the block', async () => {
    await paid();
    send(REFUND_WALLET, STRANGER);
    expect(await secondsUntilFrozen(open())).toBe(TICK_SECONDS);
  });
});

describe('our own transactions never freeze signing', () => {
  it.each([
    ['refund', 'refunds'],
    ['payout', 'payouts'],
    ['cold transfer', 'cold_transfers'],
  ])('a %s, whose hash is stored before it is sent', async (_, table) => {
    await paid();
    const { id } = await row();
    await pool().query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
       VALUES ($1, 1, $2, 'signed', '{}', $3, '0x', '{}', now(), now())`,
      [`one of ${table}`, id, HASH],
    );
    await justRead();
    send(REFUND_WALLET, STRANGER, 5n, HASH);
    expect(await secondsUntilFrozen(step)).toBeNull();
    send(REFUND_WALLET, STRANGER, 5n, `0x${'ac'.repeat(32)}`);
    expect(await secondsUntilFrozen(step)).toBeLessThan(60);
  });

  it('a transaction of the sponsor, whose hash is stored before it is sent', async () => {
    await paid();
    const { id } = await row();
    await pool().query(
      `INSERT INTO sweeps (environment, network, chain_id, kind, status, sender, request, terms, bytes, hashes, created_at)
       VALUES ('test', 'ethereum', $1, 'batch', 'signed', $2, '{}', '{}', '0x', $3, now())`,
      [id, SPONSOR, [HASH]],
    );
    await justRead();
    send(SPONSOR, STRANGER, 5n, HASH);
    expect(await secondsUntilFrozen(step)).toBeNull();
  });

  it.each([
    ['a sweep, also one that a stranger sends', TREASURY, DUE],
    ['a part of a sweep', TREASURY, DUE - 7n],
  ])('%s', async (_, to, amount) => {
    const { address } = await paid();
    await justRead();
    send(address, to, amount);
    expect(await secondsUntilFrozen(step)).toBeNull();
  });

  it('a sweep from which the token takes its fee', async () => {
    const { address } = await paid();
    await justRead();
    const fee = DUE / 1000n;
    node().mine([
      { logs: [transferLog(usdt, address, STRANGER, fee), transferLog(usdt, address, TREASURY, DUE - fee)] },
    ]);
    expect(await secondsUntilFrozen(step)).toBeNull();
  });

  it('a transfer of nothing, which anyone can make in the name of a wallet', async () => {
    const { address } = await paid();
    await justRead();
    send(REFUND_WALLET, STRANGER, 0n);
    send(address, STRANGER, 0n);
    expect(await secondsUntilFrozen(step)).toBeNull();
  });

  it('a payment whose hash a restored database does not know yet, until it is recovered', async () => {
    await paid();
    const { id } = await row();
    await pool().query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, drafted_at) VALUES ('recovered', 1, $1, 'drafted', '{}', now())`,
      [id],
    );
    await justRead();
    send(REFUND_WALLET, STRANGER, 5n, HASH);
    expect(await secondsUntilFrozen(step)).toBeNull();
    await pool().query(
      `UPDATE refund_attempts SET status = 'signed', hash = $1, bytes = '0x', validity = '{}', signed_at = now() WHERE intent_id = 'recovered'`,
      [HASH],
    );
    expect(await secondsUntilFrozen(step)).toBeNull();
  });

  it('but a payment that no recovered draft explains does, as soon as the drafts have their hashes', async () => {
    await paid();
    const { id } = await row();
    await pool().query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, drafted_at) VALUES ('another', 1, $1, 'drafted', '{}', now())`,
      [id],
    );
    await justRead();
    send(REFUND_WALLET, STRANGER, 5n, HASH);
    expect(await secondsUntilFrozen(step)).toBeNull();
    await pool().query(
      `UPDATE refund_attempts SET status = 'signed', hash = '0xother', bytes = '0x', validity = '{}', signed_at = now() WHERE intent_id = 'another'`,
    );
    expect(await secondsUntilFrozen(step)).toBeLessThan(60);
  });
});

describe('endpoints that disagree', () => {
  let other: FakeNode;
  const both = () => twoEndpoints(node().url, other.url);
  async function openOther(): Promise<void> {
    other = await newNode();
    other.finalDepth = 4;
    other.blocks.splice(0, other.blocks.length, ...node().blocks);
  }

  it('do not freeze signing: one alone may lie', async () => {
    await paid();
    await openOther();
    await justRead(both());
    send(REFUND_WALLET, STRANGER);
    other.mine();
    expect(await secondsUntilFrozen(step)).toBeNull();
    await other.close();
  });

  it('freeze signing when both report the transfer, also if the second has its block later', async () => {
    await paid();
    await openOther();
    await justRead(both());
    send(REFUND_WALLET, STRANGER);
    expect(await secondsUntilFrozen(step, 40)).toBeNull();
    other.blocks.push(node().blocks.at(-1)!);
    expect(await secondsUntilFrozen(step, 15)).not.toBeNull();
    await other.close();
  });

  it('freeze signing although the first one hides the transfer, where two others report it', async () => {
    await paid();
    await openOther();
    const third = await newNode();
    third.finalDepth = 4;
    third.blocks.splice(0, third.blocks.length, ...node().blocks);
    await justRead(twoEndpoints(other.url, node().url, third.url));
    send(REFUND_WALLET, STRANGER);
    third.blocks.push(node().blocks.at(-1)!);
    other.mine();
    expect(await secondsUntilFrozen(step)).toBeLessThan(60);
    await Promise.all([other.close(), third.close()]);
  });
});

it('a transfer that a reorg takes away before it is confirmed is forgotten', async () => {
  await paid();
  const other = await newNode();
  other.blocks.splice(0, other.blocks.length, ...node().blocks);
  await justRead(twoEndpoints(node().url, other.url));
  send(REFUND_WALLET, STRANGER);
  await secondsUntilFrozen(step, 40);
  node().blocks.pop();
  for (const one of [node(), other]) one.mine();
  other.blocks.splice(0, other.blocks.length, ...node().blocks);
  expect(await secondsUntilFrozen(step)).toBeNull();
  await other.close();
});

it('sends a bounded number of requests, whatever the number of sessions', async () => {
  for (let sessions = 0; sessions < 3; sessions++) await paid();
  await justRead();
  const total = () => [...node().calls.values()].reduce((sum, count) => sum + count, 0);
  const before = total();
  for (let seconds = 0; seconds < 600; seconds += TICK_SECONDS) {
    clock.advance(1000 * TICK_SECONDS);
    if (seconds % 10 === 0) node().mine();
    await step(context());
  }
  const perRun = (total() - before) / 20;
  expect(perRun).toBeLessThanOrEqual(6);
});
