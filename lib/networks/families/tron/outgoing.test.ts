// Transfers out of watched addresses on TRON: by the list of a node's JSON-RPC and block by block, the same.

import { describe, expect, it } from 'vitest';
import type { BlockWindow, FoundTransfer, Watch } from '@/lib/networks/chain';
import {
  TRON_OTHER,
  TRON_OURS,
  TRON_PAID_IN,
  TRON_STRANGER,
  tronUsdt,
  tronWindow,
  useTronPair,
} from '@/testing/tron/tron-pair';
import { mined, sha256, transferLog } from '@/testing/tron/tron-shapes';
import { addressBytes } from '@/lib/networks/families/tron/address';
import { watching } from '@/testing/watching/watching';

const { faulty, good, open } = useTronPair({ jsonRpc: true });
const SWEPT_IN = 8;
const trust = { above: 0n, abovePerHour: 0n, endpoints: 2 };
const watch = watching([TRON_OURS]);
const ours = `0x${addressBytes(TRON_OURS).padStart(64, '0')}`;

/** Adds a transaction of the address to a block of both nodes, or of one of them. */
function send(amount: bigint, { from = TRON_OURS, to = TRON_OTHER, on = null as 'faulty' | null } = {}): void {
  const id = sha256(`${from} ${to} ${amount}`);
  const own = mined({ logs: [transferLog(tronUsdt, from, to, amount)], owner: from, contract: tronUsdt }, id);
  for (const { blocks } of on ? [faulty()] : [faulty(), good()]) {
    const block = blocks[SWEPT_IN]!;
    blocks[SWEPT_IN] = { ...block, transactions: [...block.transactions.filter((one) => one.id !== id), own] };
  }
}
const brief = (found: readonly FoundTransfer[] = []) =>
  found.map(({ payer, recipient, amount, blockNumber, isPlain }) => ({
    payer,
    recipient,
    amount,
    blockNumber,
    isPlain,
  }));
const swept = { payer: TRON_OURS, recipient: TRON_OTHER, amount: 9n, blockNumber: SWEPT_IN, isPlain: true };

describe.each(['by the list', 'block by block'])('%s', (way) => {
  /** A proven node that lists transfers, or the same chain on one without JSON-RPC. */
  async function scan(over: Partial<BlockWindow> = {}, given: Watch = watch) {
    if (way === 'block by block') good().missing.add('jsonrpc');
    const adapter = open([good().url]);
    await adapter.head();
    good().calls.clear();
    return adapter.scan({ ...tronWindow, ...over }, given);
  }

  it('what an address received and what left it are reported in one scan', async () => {
    send(9n);
    const { transfers, outgoing } = await scan();
    expect(transfers).toMatchObject([{ recipient: TRON_OURS, amount: 12n, blockNumber: TRON_PAID_IN }]);
    expect(brief(outgoing)).toEqual([swept]);
  });

  it('a window that only takes from an address reports that, also above finality', async () => {
    send(9n);
    for (const final of [true, false]) {
      const { transfers, outgoing } = await scan({ from: SWEPT_IN, to: SWEPT_IN, final });
      expect(transfers).toEqual([]);
      expect(brief(outgoing)).toEqual([swept]);
    }
  });

  it('transfers of zero out of an address, which anyone can make, are none', async () => {
    send(0n);
    expect((await scan()).outgoing ?? []).toEqual([]);
  });

  it('a re-scan of an address looks up no other one, and reports what came and what left', async () => {
    send(9n);
    const requested: string[] = [];
    const recording: Watch = { ...watch, among: (all) => (requested.push(...all), watch.among(all)) };
    const { transfers, outgoing } = await scan({ rescan: { method: 'address', address: TRON_OURS } }, recording);
    expect(transfers).toHaveLength(1);
    expect(brief(outgoing)).toEqual([swept]);
    expect(new Set(requested)).toEqual(new Set([TRON_OURS]));
  });

  it('a re-scan block by block reports outgoing transfers', async () => {
    send(9n);
    const { outgoing } = await scan({ rescan: { method: 'blocks', address: TRON_OURS } });
    expect(brief(outgoing)).toEqual([swept]);
  });
});

describe('a node that lists transfers', () => {
  it('gives the blocks with a transfer to or from a watched address whole, and no others', async () => {
    send(9n);
    const adapter = open([good().url]);
    await adapter.head();
    good().calls.clear();
    await adapter.scan(tronWindow, watch);
    expect(good().calls.get('walletsolidity/gettransactioninfobyblocknum')).toBe(2);
  });

  it('and hides a transfer out of an address in its list is contradicted by another endpoint', async () => {
    send(9n);
    const isHidden = ({ topics }: { topics: string[] }) => topics[1]?.slice(-40) === addressBytes(TRON_OURS);
    const adapter = open([faulty().url, good().url], { trust });
    await adapter.head();
    faulty().tamper = ({ side, api }, answer) =>
      side === 'jsonrpc' && api === 'eth_getLogs'
        ? (answer as { topics: string[] }[]).filter((one) => !isHidden(one))
        : undefined;
    await expect(adapter.scan(tronWindow, watch)).rejects.toMatchObject({ fault: 'contradiction' });
  });

  it('and names a transfer out of an address that its block does not hold reports none', async () => {
    const adapter = open([faulty().url]);
    await adapter.head();
    faulty().tamper = ({ side, api }, answer) =>
      side === 'jsonrpc' && api === 'eth_getLogs'
        ? (answer as { topics: string[] }[]).map((one) => ({ ...one, topics: [one.topics[0], ours, one.topics[2]] }))
        : undefined;
    const { transfers, outgoing } = await adapter.scan(tronWindow, watch);
    expect(transfers).toHaveLength(1);
    expect(outgoing).toEqual([]);
  });
});

it('a transfer out of an address that one endpoint invents whole is contradicted by another endpoint', async () => {
  send(9n, { to: TRON_STRANGER, on: 'faulty' });
  const alone = await open([faulty().url]).scan(tronWindow, watch);
  expect(brief(alone.outgoing)).toEqual([{ ...swept, recipient: TRON_STRANGER }]);
  const both = open([faulty().url, good().url], { trust });
  await expect(both.scan(tronWindow, watch)).rejects.toMatchObject({ fault: 'contradiction' });
});
