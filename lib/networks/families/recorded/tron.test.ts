// The TRON adapter on answers of a mainnet full node (tron.json says which are recorded).

import { expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { conformance } from '@/testing/conformance';
import type { ConformanceChain } from '@/testing/conformance-chain';
import { startReplay } from '@/testing/watching/replay';
import recording from './tron.json';

const FIRST = 69316562;
const ALICE = 'TXVj38D1XR3TPgSHTCZGC8wkLDAGqF1oqx';
const BOB = 'TDii6vao7xyWg2rKPbCPWVRpSmne8xcqYx';
const PAYER = 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF';
const STRANGER = tronAddress('3c44cdddb6a900fa2b585dd299e03d12fa4293bc');
/** The newest solid block has nineteen confirmations, itself included. */
const CONFIRMATIONS = 19;
const made = (digits: string) => digits.padStart(64, '0');
const spec = networkSpec('live', 'tron', 'public')!;

type Body = { num?: number; id_or_num?: string; value?: string; startNum?: number; endNum?: number };

const tip = recording.blocks.at(-1)!.block_header.raw_data.number;
const all = [...recording.blocks, recording.newest];
const blockAt = (number: number) =>
  number === 0 ? recording.genesis : (all.find((one) => one.block_header.raw_data.number === number) ?? {});

function answer(path: string, { num, id_or_num: id, value, startNum = 0, endNum = 0 }: Body): unknown {
  const solid = path.startsWith('/walletsolidity/');
  const highest = solid ? tip - CONFIRMATIONS + 1 : tip;
  const known = (number: number) => number <= highest;
  switch (path.slice(path.lastIndexOf('/') + 1)) {
    case 'getblock':
    case 'getblockbynum':
    case 'getnowblock': {
      const number = num ?? Number(id ?? highest);
      return known(number) ? blockAt(number) : {};
    }
    case 'getblockbylimitnext': {
      const numbers = Array.from({ length: endNum - startNum }, (_, index) => startNum + index);
      return { block: numbers.filter(known).map(blockAt) };
    }
    case 'gettransactioninfobyblocknum':
      return recording.infos.filter(({ blockNumber }) => blockNumber === num && known(blockNumber));
    case 'gettransactioninfobyid':
      return recording.infos.find((info) => info.id === value && known(info.blockNumber)) ?? {};
    case 'triggerconstantcontract':
      return { result: { result: true }, energy_used: 935, constant_result: [made('6')] };
  }
  return {};
}

const start = async () => {
  const node = await startReplay((path, body) => answer(path, body as Body));
  const clock = openTestClock(recording.blocks.at(-1)!.block_header.raw_data.timestamp / 1000);
  return { node, adapter: openTronAdapter({ spec, urls: [node.url], clock, log: silentLog() }) };
};

async function open(): Promise<ConformanceChain> {
  const { node, adapter } = await start();
  const usdt = { currency: 'USDT', payer: PAYER };
  return {
    spec,
    adapter,
    unknownHash: made('abc'),
    drive: null,
    close: () => node.close(),
    story: {
      after: (await adapter.block(FIRST - 1))!,
      last: FIRST + 2,
      ours: [
        {
          hash: '0130dfde9281a48378109039ef512229d5359fbee2a8adbb17ad73aebc67ea99',
          currency: 'USDT',
          payer: 'TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre',
          recipient: ALICE,
          amount: 41_677_389n,
        },
        {
          hash: 'e122cba603b48ee234807f91859a04dbc4728f1b215d5c9c05385733bca674bc',
          ...usdt,
          recipient: BOB,
          amount: 30_401_259n,
        },
        { hash: made('ba7c4'), ...usdt, recipient: ALICE, amount: 5_000_000n },
        { hash: made('ba7c4'), ...usdt, recipient: BOB, amount: 7_000_000n },
      ],
      strangers: [{ hash: made('57a46e4'), ...usdt, recipient: STRANGER, amount: 1000n }],
      failed: [{ hash: made('fa11ed'), recipient: ALICE }],
      fake: [{ hash: made('fa4e'), recipient: BOB }],
      accountCursors: [],
    },
  };
}

conformance('the TRON adapter on recorded answers', { readsBlocks: true, driven: false }, open);

test('reads a real header with its height, its parent and its time in seconds', async () => {
  const { node, adapter } = await start();
  expect(await adapter.block(66987627)).toEqual({
    number: 66987627,
    hash: '0000000003fe266bf6b6d392f654dc2e5011601546ed04623d9fcc4e9d439a25',
    parentHash: '0000000003fe266a65d5194c947f6f7a059d4646c8e9a5293226bc7fdcfc775e',
    time: 1777445307,
  });
  await node.close();
});
