// An endpoint that lies or has lost data can never cause a second payment. It can never make a payment count as closed
// while it is not.

import { Wallet } from 'ethers';
import { Keypair } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Draft, PaymentOrder } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import { openSender } from '@/lib/networks/families/clients';
import type { NetworkSpec } from '@/lib/networks/networks';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { Refusal, startLyingEndpoint, type Lie } from './lying-endpoint';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';
import { wallet as newWallet } from './solana/test-client';
import { attemptOf, signDraft } from './test-signing';
import { startTronNode, type TronNode } from './tron/start';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const lying = async (target: string, lie: Lie): Promise<string> => {
  const { url, stop } = await startLyingEndpoint(target, lie);
  stops.push(stop);
  return url;
};
const open = (spec: NetworkSpec, urls: readonly string[], needed = urls.length) =>
  openSender({ spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
let intents = 0;
const orderOf = (spec: NetworkSpec, to: string): PaymentOrder => {
  const { contract, decimals } = spec.tokens.USDT!;
  return { intentId: `lie_${++intents}`, currency: 'USDT', contract, to, amount: 10n ** BigInt(decimals) };
};
const nothing =
  (...methods: readonly string[]): Lie =>
  (method, result) =>
    methods.includes(method) ? null : result;

describe('an EVM endpoint', () => {
  let chain: LocalNetwork;
  beforeAll(async () => {
    chain = await startTestEvm();
  }, 60_000);
  afterAll(() => chain.stop());
  async function paid() {
    const order = orderOf(chain.spec, Wallet.createRandom().address);
    const sender = open(chain.spec, [chain.rpcUrl]);
    const draft = await sender.draft(order, chain.payer.address.toLowerCase());
    const signed = signDraft(draft, Buffer.from(chain.payer.privateKey.slice(2), 'hex'));
    await sender.broadcast(signed.bytes);
    await chain.mine(6);
    return attemptOf(order, draft, signed);
  }
  const forgetful = nothing('eth_getTransactionReceipt', 'eth_getTransactionByHash');

  it('that has lost the receipt of a payment does not make it lapse, even as the only endpoint', async () => {
    const attempt = await paid();
    const alone = open(chain.spec, [await lying(chain.rpcUrl, forgetful)]);
    await expect(alone.outcome(attempt)).rejects.toMatchObject({ fault: 'contradiction' });
    expect(
      await open(chain.spec, [chain.rpcUrl, await lying(chain.rpcUrl, forgetful)], 1).outcome(attempt),
    ).toMatchObject({
      kind: 'landed',
    });
  });

  it('that no longer has the nonces of old blocks proves no lapse, and reports pruned, so that an operator can decide', async () => {
    const order = orderOf(chain.spec, Wallet.createRandom().address);
    const sender = open(chain.spec, [chain.rpcUrl]);
    const draft = await sender.draft(order, chain.payer.address.toLowerCase());
    const signed = signDraft(draft, Buffer.from(chain.payer.privateKey.slice(2), 'hex'));
    const attempt = attemptOf(order, draft, signed);
    // Another payment takes its account nonce.
    await paid();
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'lapsed' });
    let asked = 0;
    const isOld = (method: string) => method === 'eth_getTransactionCount' && ++asked > 1;
    const missing = new Refusal({ code: -32_000, message: 'missing trie node' });
    const pruned = await lying(chain.rpcUrl, (method, result) => (isOld(method) ? missing : result));
    expect(await open(chain.spec, [pruned]).outcome(attempt)).toMatchObject({ kind: 'pruned' });
  });

  it('that reports a landed payment as failed, or with another amount, leads to no final outcome', async () => {
    const attempt = await paid();
    const failed = await lying(chain.rpcUrl, (method, result) =>
      method === 'eth_getTransactionReceipt' ? { ...(result as object), status: '0x0', logs: [] } : result,
    );
    const other = await lying(chain.rpcUrl, (method, result) => {
      if (method !== 'eth_getTransactionReceipt') return result;
      const { logs } = result as { logs: object[] };
      return { ...(result as object), logs: logs.map((log) => ({ ...log, data: `0x${'1'.padStart(64, '0')}` })) };
    });
    for (const liar of [failed, other]) {
      const both = open(chain.spec, [chain.rpcUrl, liar]);
      await expect(both.outcome(attempt)).rejects.toMatchObject({ fault: 'contradiction' });
    }
    expect(await open(chain.spec, [other]).outcome(attempt)).toMatchObject({ kind: 'unclear' });
  });

  it('that underestimates gas makes no payment fail', async () => {
    const order = orderOf(chain.spec, Wallet.createRandom().address);
    const few = await lying(chain.rpcUrl, (method, result) => (method === 'eth_estimateGas' ? '0x5208' : result));
    const draft = await open(chain.spec, [few]).draft(order, chain.payer.address.toLowerCase());
    const signed = signDraft(draft, Buffer.from(chain.payer.privateKey.slice(2), 'hex'));
    const sender = open(chain.spec, [chain.rpcUrl]);
    await sender.broadcast(signed.bytes);
    await chain.mine(6);
    expect(await sender.outcome(attemptOf(order, draft, signed))).toMatchObject({ kind: 'landed' });
  });

  it('that alone refuses a payment does not fail it, and a refusal by enough endpoints does', async () => {
    const IS_BLACKLISTED = '0xe47d6060';
    const order = orderOf(chain.spec, Wallet.createRandom().address);
    const asked = `${IS_BLACKLISTED}${order.to.slice(2).toLowerCase().padStart(64, '0')}`;
    const liar = await lying(chain.rpcUrl, (method, result, params) => {
      const [call] = params as [{ data?: string }];
      return method === 'eth_call' && call.data?.toLowerCase() === asked ? `0x${'1'.padStart(64, '0')}` : result;
    });
    const draft = (urls: readonly string[], needed = urls.length) =>
      open(chain.spec, urls, needed).draft(order, chain.payer.address);
    await expect(draft([liar, chain.rpcUrl])).rejects.toMatchObject({ fault: 'contradiction' });
    await expect(draft([liar, 'http://127.0.0.1:1'])).rejects.toMatchObject({ fault: 'unavailable' });
    await expect(draft([liar, liar])).rejects.toMatchObject({ name: 'SendRefused', reason: 'recipient_blocked' });
    expect((await draft([chain.rpcUrl, liar])).intentId).toBe(order.intentId);
  });
});

describe('a TRON endpoint', () => {
  let node: TronNode;
  beforeAll(async () => {
    node = await startTronNode({ blockMs: null });
    await node.mine(5);
  }, 60_000);
  afterAll(() => node.stop());
  const KNOWS = ['gettransactioninfobyid', 'gettransactionbyid', 'gettransactionfrompending'];
  /** Reports later times and heights than the true ones, and knows no transaction. */
  const later: Lie = (method, result) => {
    if (KNOWS.some((api) => method.endsWith(api))) return {};
    const read = result as { block_header?: { raw_data: { number?: number; timestamp: number } } };
    const raw = read.block_header?.raw_data;
    if (!raw?.number) return result;
    return { ...read, block_header: { raw_data: { ...raw, timestamp: raw.timestamp + 3_600_000 } } };
  };

  it('that underestimates energy makes no payment run out of it', async () => {
    const order = orderOf(node.spec, 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK');
    const few = await lying(node.rpcUrl, (method, result) =>
      method.endsWith('triggerconstantcontract') ? { ...(result as object), energy_used: 1 } : result,
    );
    const draft = await open(node.spec, [few]).draft(order, node.payer.address);
    // 135,000 units of energy at 100 sun.
    expect(readDraft(draft).feeCap).toBeGreaterThanOrEqual(13_500_000n);
  });

  it('that reports a future time and hides a payment does not make it lapse where two endpoints must agree', async () => {
    const order = orderOf(node.spec, 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK');
    const sender = open(node.spec, [node.rpcUrl]);
    const draft = await sender.draft(order, node.payer.address);
    const signed = signDraft(draft, Buffer.from(node.payer.privateKey, 'hex'));
    const attempt = attemptOf(order, draft, signed);
    const liar = await lying(node.rpcUrl, later);
    const both = open(node.spec, [node.rpcUrl, liar]);
    await expect(open(node.spec, [liar]).outcome(attempt)).rejects.toMatchObject({ fault: 'unavailable' });
    expect(await both.outcome(attempt)).toEqual({ kind: 'waiting' });
    await sender.broadcast(signed.bytes);
    expect(await both.outcome(attempt)).toMatchObject({ kind: 'seen' });
    await node.mine(21);
    expect(await both.outcome(attempt)).toMatchObject({ kind: 'seen' });
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
  });
});

describe('a TRON endpoint without old blocks', () => {
  it('does not make a payment lapse, even as the only endpoint', async () => {
    let now = Date.now();
    const node = await startTronNode({ blockMs: null, clock: { now: () => new Date(now) } });
    try {
      await node.mine(5);
      const order = orderOf(node.spec, 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK');
      const draft = await open(node.spec, [node.rpcUrl]).draft(order, node.payer.address);
      const signed = signDraft(draft, Buffer.from(node.payer.privateKey, 'hex'));
      const attempt = attemptOf(order, draft, signed);
      await open(node.spec, [node.rpcUrl]).broadcast(signed.bytes);
      await node.mine(1);
      now += 700_000;
      await node.mine(250);
      // A lite node whose history starts after the payment landed.
      const lite = await lying(node.rpcUrl, (method, result, asked) => {
        if (/gettransaction/.test(method)) return {};
        const { id_or_num: wanted, num = wanted } = asked as { id_or_num?: string; num?: number | string };
        return num !== undefined && Number(num) > 0 && Number(num) < 100 ? {} : result;
      });
      expect(await open(node.spec, [lite]).outcome(attempt)).toMatchObject({ kind: 'pruned' });
      expect(await open(node.spec, [node.rpcUrl]).outcome(attempt)).toMatchObject({ kind: 'landed' });
    } finally {
      await node.stop();
    }
  }, 60_000);
});

describe('a Solana endpoint', () => {
  let node: SolanaNode;
  let keypair: Keypair;
  beforeAll(async () => {
    node = await startSolanaNode({ tick: 'manual' });
    keypair = await newWallet(node, { USDT: 10n ** 9n });
    node.tick(FINALITY_LAG);
  }, 60_000);
  afterAll(() => node.stop());
  const draftBy = async (urls: readonly string[], needed?: number): Promise<{ order: PaymentOrder; draft: Draft }> => {
    const order = orderOf(node.spec, Keypair.generate().publicKey.toBase58());
    return { order, draft: await open(node.spec, urls, needed).draft(order, keypair.publicKey.toBase58()) };
  };

  it('that reports too low a last valid height does not make a payment lapse early', async () => {
    const liar = await lying(node.rpcUrl, (method, result) => {
      if (method !== 'getLatestBlockhash') return result;
      const { value } = result as { value: object };
      return { ...(result as object), value: { ...value, lastValidBlockHeight: 1 } };
    });
    const { draft } = await draftBy([liar]);
    const { validity } = readDraft(draft);
    const { height } = node.ledger.blocks.at('confirmed');
    expect(validity).toEqual({ kind: 'height', lastValidBlockHeight: height + 150 });
  });

  it('that reports a future height does not make a payment wait forever', async () => {
    const liar = await lying(node.rpcUrl, (method, result) => (method === 'getBlockHeight' ? 10 ** 9 : result));
    await expect(draftBy([node.rpcUrl, liar])).rejects.toThrow(
      /endpoint 2 reports block height 1000000000, endpoint 1 reports \d+,/,
    );
    // The lying endpoint alone, and two endpoints when one is enough.
    await expect(draftBy([liar])).rejects.toMatchObject({ fault: 'contradiction' });
    await expect(draftBy([node.rpcUrl, liar], 1)).rejects.toMatchObject({ fault: 'contradiction' });
    // The lie is in both responses, and drafting uses them.
    const wholly = await lying(node.rpcUrl, (method, result) => {
      if (method === 'getBlockHeight') return 10 ** 9;
      if (method !== 'getLatestBlockhash') return result;
      const { value } = result as { value: object };
      return { ...(result as object), value: { ...value, lastValidBlockHeight: 10 ** 9 + 150 } };
    });
    await expect(draftBy([wholly, node.rpcUrl])).rejects.toThrow(/endpoint 1 reports block height 1000000000/);
    await expect(draftBy([wholly, node.rpcUrl], 1)).rejects.toMatchObject({ fault: 'contradiction' });
    await expect(draftBy([node.rpcUrl, 'http://127.0.0.1:1'])).rejects.toMatchObject({ fault: 'unavailable' });
  });

  it('that underestimates compute units makes no payment run out of them', async () => {
    const few = await lying(node.rpcUrl, (method, result) =>
      method === 'simulateTransaction' ? { ...(result as object), value: { err: null, unitsConsumed: 1 } } : result,
    );
    const { draft } = await draftBy([few]);
    const message = Buffer.from((draft as { unsigned: string }).unsigned, 'base64');
    // SetComputeUnitLimit (2) with 60,000 units, little-endian.
    expect(message.includes(Buffer.from([2, 0x60, 0xea, 0, 0]))).toBe(true);
  });

  it('that is stuck does not draft while another one has newer blocks', async () => {
    const { blockhash, lastValidBlockHeight } = { blockhash: '1'.repeat(32), lastValidBlockHeight: 1 };
    const still = await lying(node.rpcUrl, (method, result) => {
      if (method === 'getSlot') return 0;
      if (method !== 'getLatestBlockhash') return result;
      return { ...(result as object), value: { blockhash, lastValidBlockHeight } };
    });
    const { draft } = await draftBy([still, node.rpcUrl]);
    const { validity } = readDraft(draft);
    expect(validity).toEqual({ kind: 'height', lastValidBlockHeight: node.ledger.blocks.at('confirmed').height + 150 });
    expect(Buffer.from((draft as { unsigned: string }).unsigned, 'base64').includes(Buffer.alloc(32, 0))).toBe(true);
  });

  it('that reports a future height and hides a payment does not make it lapse where two endpoints must agree', async () => {
    const { order, draft } = await draftBy([node.rpcUrl]);
    const signed = signDraft(draft, keypair.secretKey.subarray(0, 32));
    const attempt = attemptOf(order, draft, signed);
    const liar = await lying(node.rpcUrl, (method, result) => {
      if (method === 'getEpochInfo') return { ...(result as object), blockHeight: 10 ** 9 };
      if (method === 'getSignatureStatuses') return { ...(result as object), value: [null] };
      return method === 'getTransaction' ? null : result;
    });
    const both = open(node.spec, [node.rpcUrl, liar]);
    expect(await open(node.spec, [liar]).outcome(attempt)).toMatchObject({ kind: 'lapsed' });
    expect(await both.outcome(attempt)).toEqual({ kind: 'waiting' });
    await both.broadcast(signed.bytes);
    node.tick();
    expect(await both.outcome(attempt)).toMatchObject({ kind: 'seen' });
    node.tick(FINALITY_LAG);
    await expect(both.outcome(attempt)).rejects.toMatchObject({ fault: 'contradiction' });
  });

  it('that was started from a snapshot after a payment proves nothing, even as the only endpoint', async () => {
    const { order, draft } = await draftBy([node.rpcUrl]);
    const signed = signDraft(draft, keypair.secretKey.subarray(0, 32));
    const attempt = attemptOf(order, draft, signed);
    await open(node.spec, [node.rpcUrl]).broadcast(signed.bytes);
    node.tick(FINALITY_LAG + 2);
    const snapshot = node.ledger.blocks.at('finalized').slot;
    node.tick(200);
    const fresh = await lying(node.rpcUrl, (method, result) => {
      if (method === 'getFirstAvailableBlock') return snapshot;
      if (method === 'getSignatureStatuses') return { ...(result as object), value: [null] };
      return method === 'getTransaction' ? null : result;
    });
    expect(await open(node.spec, [fresh]).outcome(attempt)).toMatchObject({ kind: 'pruned' });
    expect(await open(node.spec, [node.rpcUrl]).outcome(attempt)).toMatchObject({ kind: 'landed' });
  });

  it('that answers for an older slot than before proves nothing', async () => {
    const { order, draft } = await draftBy([node.rpcUrl]);
    const signed = signDraft(draft, keypair.secretKey.subarray(0, 32));
    const attempt = attemptOf(order, draft, signed);
    const behind = await lying(node.rpcUrl, (method, result) =>
      method === 'getSignatureStatuses' ? { ...(result as object), context: { slot: 1 } } : result,
    );
    await expect(open(node.spec, [behind]).outcome(attempt)).rejects.toMatchObject({ fault: 'unavailable' });
  });
});
