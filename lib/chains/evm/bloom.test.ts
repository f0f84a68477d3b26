// The filter is the one that real nodes write into their headers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '@/lib/testing/anvil';
import { localEthereum, usdt } from '@/lib/testing/watched-chain';
import { bloomOf, maySpeakOf } from './bloom';
import { TRANSFER_TOPIC } from './decode';

const OTHER = '0x00000000000000000000000000000000deadbeef';

describe("a real block's filter", () => {
  let node: Anvil;
  beforeAll(async () => void (node = await startAnvil(localEthereum)));
  afterAll(() => node.stop());

  it('is that of exactly its logs, and speaks of the token and of nothing else', async () => {
    const recipient = node.accounts[1];
    await node.send(usdt, 'transfer', [recipient, 1_000_000n]);
    await node.mine();
    type Answer = { logsBloom: string; logs: { address: string; topics: string[] }[] };
    const { logsBloom } = await node.rpc<Answer>('eth_getBlockByNumber', 'latest', false);
    const receipts = await node.rpc<Answer[]>('eth_getBlockReceipts', 'latest');
    const logs = receipts.flatMap((receipt) => receipt.logs);
    expect(logs.length).toBeGreaterThan(0);
    expect(bloomOf(logs)).toBe(logsBloom);
    expect(bloomOf(logs.slice(1))).not.toBe(logsBloom);
    expect(maySpeakOf(logsBloom, [usdt, TRANSFER_TOPIC])).toBe(true);
    expect(maySpeakOf(logsBloom, [OTHER, TRANSFER_TOPIC])).toBe(false);
  });
});

describe('a filter', () => {
  it('of no logs speaks of nothing', () => {
    expect(bloomOf([])).toBe(`0x${'0'.repeat(512)}`);
    expect(maySpeakOf(bloomOf([]), [usdt])).toBe(false);
  });

  it('that is more than half full tells nothing, so nobody is doubted for it', () => {
    expect(maySpeakOf(`0x${'f'.repeat(512)}`, [usdt])).toBe(false);
    expect(maySpeakOf(`0x${'f'.repeat(256)}${'0'.repeat(256)}`, [])).toBe(true);
  });
});
