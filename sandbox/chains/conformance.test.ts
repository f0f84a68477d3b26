// The product's adapters on a local chain of every network of the table, with real payments: a new row is covered without a change
// here. refund-conformance.test.ts holds the same for refunds.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Keypair } from '@solana/web3.js';
import { Wallet } from 'ethers';
import { utils as tron } from 'tronweb';
import { afterAll, beforeAll } from 'vitest';
import type { ChainAdapter, NetworkFamily } from '@/lib/networks/chain';
import { NETWORKS } from '@/lib/networks/networks';
import { openChains } from '@/lib/networks/registry';
import { systemClock } from '@/lib/platform/clock';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { silentLog } from '@/testing/chain-clock';
import { conformance } from '@/testing/conformance';
import type { ConformanceChain, Drive, Paid, Story, Unpaid } from '@/testing/conformance-chain';
import { testConfig } from '@/testing/fixtures';
import type { LocalNetwork } from './local-network';
import { PaymentRefused, type Scenario } from './payment';
import { startAllChains, type LocalChains } from './start';

/** In the format of FoundTransfer. */
const NEW_ADDRESS: Record<NetworkFamily, () => string> = {
  evm: () => Wallet.createRandom().address.toLowerCase(),
  tron: () => tron.accounts.generateAccount().address.base58,
  solana: () => Keypair.generate().publicKey.toBase58(),
};
const UNKNOWN_HASH: Record<NetworkFamily, string> = {
  evm: `0x${'ab'.repeat(32)}`,
  tron: 'ab'.repeat(32),
  solana: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
};
/** More than any local chain needs to make a block final. */
const MAX_MINED = 100;
/** Blocks that the chain may add on its own during a reorg; the reorg removes them too. */
const SPARE = 3;

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-conformance-'));
const start = (name: string) =>
  startAllChains({
    directory: path.join(directory, name),
    onFault: (error) => {
      throw error;
    },
  });
let chains: LocalChains;
let again: Promise<ReadonlyMap<string, string>> | undefined;

beforeAll(async () => void (chains = await start('first')), 60_000);
afterAll(async () => {
  await chains.stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

for (const { network, family } of NETWORKS.filter(({ chain }) => chain === 'local')) {
  conformance(`the local ${network}`, { readsBlocks: family !== 'solana', driven: true }, () => open(network));
}

async function open(network: string): Promise<ConformanceChain> {
  const local = chains.networks.get(network);
  if (!local) throw new Error(`the sandbox has no ${network}`);
  const adapter = adapterOf(local);
  const story = await makeStory(local, adapter);
  return {
    spec: local.spec,
    adapter,
    story,
    unknownHash: UNKNOWN_HASH[local.spec.family],
    drive: driveOf(local, adapter),
    close: async () => {},
  };
}

function adapterOf({ network, rpcUrl }: LocalNetwork): ChainAdapter {
  const none = { TEST_ETHEREUM_URLS: '', TEST_BSC_URLS: '', TEST_TRON_URLS: '', TEST_SOLANA_URLS: '' };
  const config = testConfig({ ...none, [`TEST_${network.toUpperCase()}_URLS`]: rpcUrl });
  const [chain] = openChains(config, { clock: systemClock, log: silentLog() });
  if (!chain) throw new Error(`no adapter for ${network}`);
  return chain.adapter;
}

/** Pays two of our customers and a stranger in every possible way; resolves when all of it is final. */
async function makeStory(local: LocalNetwork, adapter: ChainAdapter): Promise<Story> {
  const { family, tokens } = local.spec;
  // On a network with a single token both are the same.
  const [first, second] = [Object.keys(tokens)[0], Object.keys(tokens).at(-1)] as [string, string];
  const [alice, bob, stranger] = [NEW_ADDRESS[family](), NEW_ADDRESS[family](), NEW_ADDRESS[family]()];
  const payer = family === 'evm' ? local.payer.address.toLowerCase() : local.payer.address;
  const { tip: after } = await adapter.head();
  const paid = async (recipient: string, currency: string, cents: bigint): Promise<Paid> => {
    const hash = await local.pay({ recipient, currency, cents, scenario: 'exact' });
    return {
      hash,
      currency,
      payer,
      recipient,
      amount: centsToBaseUnits(cents, tokens[currency]!.decimals),
      isPlain: true,
    };
  };
  const unpaid = async (recipient: string, scenario: Scenario): Promise<Unpaid> => ({
    hash: await local.pay({ recipient, currency: first, cents: 900n, scenario }),
    recipient,
  });
  const ours = [
    await paid(alice, first, 1234n),
    await paid(alice, second, 1n),
    await paid(bob, first, 500n),
    await paid(bob, first, 500n),
  ];
  const failed = [await unpaid(alice, 'failed')];
  const fake = [await unpaid(alice, 'fake_token')];
  const strangers = [await paid(stranger, first, 777n)];
  const hash = await local.pay({
    recipient: alice,
    currency: second,
    cents: 321n,
    scenario: 'batch',
    other: { recipient: bob, cents: 654n },
  });
  const share = (recipient: string, cents: bigint): Paid => ({
    hash,
    currency: second,
    payer,
    recipient,
    amount: centsToBaseUnits(cents, tokens[second]!.decimals),
    // On other families a contract pays several at once, and the owner of the coins is unknown.
    isPlain: family === 'solana',
  });
  const last = (await adapter.head()).tip.number;
  await mineUntilFinal(local, adapter, last);
  return {
    after,
    last,
    ours: [...ours, share(alice, 321n), share(bob, 654n)],
    strangers,
    failed,
    fake,
    accountCursors: [],
  };
}

async function mineUntilFinal(local: LocalNetwork, adapter: ChainAdapter, height: number): Promise<void> {
  for (let mined = 0; mined < MAX_MINED; mined++) {
    if ((await adapter.head()).final.number >= height) return;
    await local.mine(1);
  }
  throw new Error(`block ${height} is not final after ${MAX_MINED} blocks more`);
}

function driveOf(local: LocalNetwork, adapter: ChainAdapter): Drive {
  return {
    mine: (blocks) => local.mine(blocks),
    async payAndTakeBack() {
      const recipient = NEW_ADDRESS[local.spec.family]();
      await local.mine(SPARE);
      const { tip: before } = await adapter.head();
      const hash = await local.pay({
        recipient,
        currency: Object.keys(local.spec.tokens)[0]!,
        cents: 100n,
        scenario: 'exact',
      });
      const { tip: replaced } = await adapter.head();
      try {
        await local.reorganise(replaced.number - before.number + SPARE);
      } catch (error) {
        if (error instanceof PaymentRefused) return null;
        throw error;
      }
      return { hash, recipient, replaced };
    },
    async anotherGenesis() {
      again ??= genesesAfresh();
      return (await again).get(local.network) ?? '';
    },
  };
}

/** A second set of all local chains, beside the first. */
async function genesesAfresh(): Promise<ReadonlyMap<string, string>> {
  const fresh = await start('second');
  try {
    const ofEach = [...fresh.networks.values()].map(
      async (one) => [one.network, await adapterOf(one).genesis()] as const,
    );
    return new Map(await Promise.all(ofEach));
  } finally {
    await fresh.stop();
  }
}
