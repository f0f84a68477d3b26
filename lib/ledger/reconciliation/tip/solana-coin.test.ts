// Coin that leaves a sponsor on Solana in a transaction that the service has not signed freezes signing within a minute, also while no deposit
// address holds money.

import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeSignature, type FakeTransaction } from '@/testing/solana/solana-ledger';
import { ata, STRANGER } from '@/testing/solana/solana-scene';
import {
  PINNED,
  REFUND_WALLET,
  SPARE,
  SPONSOR,
  THIEF,
  TICK_SECONDS,
  TREASURY,
  useSolanaTip,
} from '@/testing/solana/solana-tip-scene';
import { DUE } from '@/testing/solana/solana-watched';
import type { Step } from '@/lib/platform/context';

const tip = useSolanaTip();
const { context, held, mine, node, open, other, pool, secondsUntilFrozen, unfreeze } = tip;

const FEE = 5000;
const [RENT, AMOUNT] = [2_039_280, 1_000_000_000];
let step: Step;
beforeEach(async () => {
  await tip.run();
  node().finalDepth = 1000;
  step = await justRead();
});

/** A step that has just read by its first endpoint: what follows waits longest. */
async function justRead(...nodes: FakeSolanaNode[]): Promise<Step> {
  const opened = open(...nodes);
  mine();
  await opened(context());
  return opened;
}
const until = (most?: number): Promise<number | null> => secondsUntilFrozen([step], most);

/** A transaction that a sponsor signs and pays for. */
const sent = (gains: Record<string, number>, from = SPONSOR): FakeTransaction => {
  const given = Object.values(gains).reduce((sum, gain) => sum + gain, 0);
  return { feePayer: from, coin: { [from]: -given - FEE, ...gains } };
};
const theft = (from = SPONSOR): FakeTransaction => sent({ [THIEF]: AMOUNT }, from);
/** What anyone can make: it mentions the sponsor. */
const mention = (gain = 0): FakeTransaction => ({
  feePayer: STRANGER,
  coin: { [STRANGER]: -gain - FEE, [SPONSOR]: gain },
});
const mineOne = (one: FakeTransaction): string => mine(one).transactions[0]!.signature;

const swept = async (hash: string) =>
  pool().query(
    `INSERT INTO sweeps (environment, network, chain_id, kind, status, sender, request, terms, hashes, bytes, signed_at, created_at)
     VALUES ('test', 'solana', $1, 'batch', 'signed', $2, '{}', '{}', $3, '', now(), now())`,
    [(await tip.row()).id, SPONSOR, [hash]],
  );

describe('signing freezes within a minute for a transaction that', () => {
  it.each([
    ['sends coin of the sponsor', theft()],
    ['sends coin of the spare sponsor', theft(SPARE)],
    ['splits it among several addresses', sent({ [THIEF]: 600, [STRANGER]: 400 })],
    ['gives the treasury a part', sent({ [TREASURY]: AMOUNT, [THIEF]: AMOUNT / 10 })],
    ['takes coin of both sponsors, and gives one half to the treasury', ofBoth()],
    ['burns it as a fee', { feePayer: SPONSOR, coin: { [SPONSOR]: -AMOUNT } }],
    ['failed, because the key has signed it', { ...sent({}), err: { InstructionError: [0, 'Custom'] } }],
    ['a thief sent and paid for', { feePayer: THIEF, coin: { [SPONSOR]: -AMOUNT, [THIEF]: AMOUNT - FEE } }],
    ['names the sponsor in a lookup table', { ...theft(), feePayer: THIEF, looksUp: true }],
  ])('%s', async (_, stolen) => {
    const hash = mineOne(stolen);
    expect(await until()).toBeLessThan(60);
    expect(held.reasons).toEqual([`SOL left a sponsor on solana (test) without an intent: ${hash}`]);
  });

  it('takes what the sponsor gets in the same seconds', async () => {
    mine({ feePayer: STRANGER, coin: { [STRANGER]: -AMOUNT, [SPONSOR]: AMOUNT } }, theft());
    expect(await until()).toBeLessThan(60);
  });

  it('is one among sweeps', async () => {
    for (const digit of ['1', '2', '3', '4', '5', '6']) await swept(fakeSignature(digit));
    const sweep = (digit: string) => ({ ...sent({}), signature: fakeSignature(digit) });
    mine(sweep('1'));
    mine(sweep('2'), theft(), sweep('3'));
    for (const digit of ['4', '5', '6']) mine(sweep(digit));
    expect(await until()).toBeLessThan(60);
    expect(held.reasons).toHaveLength(1);
  });

  it('is one among a hundred that mention the sponsor', async () => {
    const few = Array.from({ length: 49 }, () => mention());
    mine(...few, theft(), ...few);
    expect(await until()).toBeLessThan(60);
  });

  it('came before the worker was restarted', async () => {
    mine(theft());
    step = open();
    expect(await until()).toBe(TICK_SECONDS);
  });

  it('the signer does not know, because it is of an older version', async () => {
    held.signed = null;
    mine(theft());
    expect(await until()).toBeLessThan(60);
  });

  it('comes while the account of a deposit address cannot be read', async () => {
    node().finalDepth = 4;
    const [deposit] = await tip.paid(DUE);
    node().finalDepth = 1000;
    node().tamper = ({ method, params }) =>
      method === 'getSignaturesForAddress' && params[0] === ata(deposit!) ? [] : undefined;
    step = await justRead();
    mine(tip.transfer(deposit!, TREASURY));
    mine(theft());
    expect(await until()).toBeLessThan(60);
    expect(held.reason).toContain('SOL');
  });

  it('is not the first one: each freezes signing once, with two workers too', async () => {
    const steps = [step, open()];
    mine(theft());
    await secondsUntilFrozen(steps);
    unfreeze();
    expect(await secondsUntilFrozen([...steps, open()])).toBeNull();
    expect(held.reasons).toHaveLength(1);
    mine(theft(SPARE));
    expect(await secondsUntilFrozen(steps)).toBeLessThan(60);
  });

  function ofBoth(): FakeTransaction {
    const coin = { [SPONSOR]: -AMOUNT - FEE, [SPARE]: -AMOUNT, [TREASURY]: AMOUNT, [THIEF]: AMOUNT };
    return { feePayer: SPONSOR, signers: [SPARE], coin };
  }
});

describe('nothing freezes signing for', () => {
  it.each([
    ['a sweep, which costs a fee', sent({})],
    ['a sweep that pays rent for an account of the treasury', sent({ [ata(TREASURY)]: RENT })],
    ['a sweep that fails', { ...sent({}), err: { InstructionError: [0, 'Custom'] } }],
    ['a sweep that gets the rent of closed accounts', { feePayer: SPONSOR, coin: { [SPONSOR]: RENT - FEE } }],
  ])('%s', async (_, one) => {
    const signature = fakeSignature('own');
    await swept(signature);
    mine({ ...one, signature });
    expect(await until()).toBeNull();
    const { rowCount } = await pool().query('SELECT FROM tip_outflows WHERE chain_id = $1', [(await tip.row()).id]);
    expect(rowCount).toBe(0);
    mine(theft());
    expect(await until()).toBeLessThan(60);
  });

  it('a sweep that a restored database has forgotten, because the signer has signed it', async () => {
    held.signed = [fakeSignature('own')];
    mine({ ...sent({ [ata(TREASURY)]: RENT }), signature: fakeSignature('own') });
    expect(await until()).toBeNull();
    mine(theft());
    expect(await until()).toBeLessThan(60);
  });

  it.each([
    ['that mention the sponsor', mention()],
    ['that send coin to it', mention(AMOUNT)],
    ['that fail', { ...mention(), err: { InstructionError: [0, 'Custom'] } }],
    ['of the refund wallet, which are compared elsewhere', sent({ [THIEF]: AMOUNT }, REFUND_WALLET)],
  ])('transactions %s', async (_, one) => {
    mine(one, one, one);
    expect(await until()).toBeNull();
  });

  it.each([
    ['the treasury', TREASURY],
    ['the treasury that only the signer knows yet', PINNED],
    ['the other sponsor', SPARE],
    ['the refund wallet', REFUND_WALLET],
  ])('coin that the owner sends to %s', async (_, to) => {
    mine(sent({ [to]: AMOUNT }));
    expect(await until()).toBeNull();
  });
});

describe('of several endpoints', () => {
  it('two report it within a minute, although a third hides it', async () => {
    const [second, liar] = [await other(), await other()];
    liar.tamper = ({ method }) =>
      method === 'getSignaturesForAddress' ? [] : method === 'getTransaction' ? null : undefined;
    for (const nodes of [
      [liar, node(), second],
      [node(), liar, second],
      [node(), second, liar],
    ]) {
      step = await justRead(...nodes);
      const hash = mineOne(theft());
      expect(await until()).toBeLessThan(60);
      expect(held.reason).toContain(hash);
      unfreeze();
    }
  });

  it('one that reports it among two freezes nothing: it may lie', async () => {
    const liar = await other();
    const signature = fakeSignature('forged');
    const accountKeys = [SPONSOR, THIEF];
    step = await justRead(node(), liar);
    const { slot } = mine();
    liar.tamper = ({ method, params }) => {
      if (method === 'getSignaturesForAddress' && params[0] === SPONSOR) return [{ signature, slot, err: null }];
      if (method !== 'getTransaction' || params[0] !== signature) return undefined;
      const meta = { err: null, preBalances: [AMOUNT, 0], postBalances: [0, AMOUNT] };
      return { slot, meta, transaction: { signatures: [signature], message: { accountKeys } } };
    };
    expect(await until()).toBeNull();
    const hash = mineOne(theft(SPARE));
    expect(await until()).toBeLessThan(60);
    expect(held.reason).toContain(hash);
  });

  it('one that lacks a transaction of a stranger, which it lists, reports a theft all the same', async () => {
    const { signature } = mine(mention()).transactions[0]!;
    node().tamper = ({ method, params }) => (method === 'getTransaction' && params[0] === signature ? null : undefined);
    step = await justRead();
    mine(theft());
    expect(await until()).toBeLessThan(60);
    unfreeze();
    await expect(until(400)).rejects.toThrow(signature);
  });

  it('one that lists a transaction late reports it all the same', async () => {
    node().listLag = 4;
    mine(theft());
    expect(await until()).toBeLessThan(60);
  });
});

describe('more transactions than one reading requests', () => {
  const mentions = (count: number): FakeTransaction[] => Array.from({ length: count }, () => mention());
  /** So many transactions of a stranger after a theft. */
  const flood = (count: number): void => void mine(theft(), ...mentions(count));

  it('delay the freeze, by one reading for each hundred', async () => {
    mine(...mentions(125), theft(), ...mentions(125));
    expect(await until()).toBe(60);
  });

  it.each([
    ['before it, because the newest are read', () => mine(...mentions(200), theft())],
    ['after it, because the oldest are read', () => flood(200)],
  ])('do not delay the freeze if they are all %s', async (_, make) => {
    make();
    expect(await until()).toBe(20);
  });

  it('hide no theft, although a thief mentions the sponsor more often after it than each reading requests', async () => {
    const hash = mineOne(theft());
    let frozen: number | null = null;
    for (let seconds = 0; seconds < 120 && frozen === null; seconds += TICK_SECONDS) {
      mine(...mentions(60));
      frozen = await until(TICK_SECONDS);
    }
    expect(held.reason).toContain(hash);
  });

  it('of one sponsor do not hide a theft from the other one', async () => {
    flood(3200);
    mine(theft(SPARE), ...Array.from({ length: 200 }, () => mention()));
    expect(await until()).toBeLessThan(60);
  });

  it('raise the alarm about a step that fails, where they are too many to be listed', async () => {
    flood(3200);
    await expect(until(400)).rejects.toThrow('more transactions mention');
  });
});

it('costs six requests while no deposit address holds money, and two more for a sweep', async () => {
  const total = () => [...node().calls.values()].reduce((sum, count) => sum + count, 0);
  node().finalDepth = 4;
  await until(60);
  const before = total();
  await until(600);
  expect((total() - before) / 30).toBe(6);
  await swept(fakeSignature('own'));
  mine({ ...sent({}), signature: fakeSignature('own') });
  await until(600);
  expect(total() - before).toBeLessThanOrEqual(60 * 6 + 2);
});
