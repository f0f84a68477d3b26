// TRON as a local chain: our own node on a real EVM, because no package provides one. Each start creates a new chain with another genesis
// block.

import { computeAddress, hexlify, randomBytes } from 'ethers';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { openPayerKey } from '../key-file';
import type { LocalNetwork, StartOptions } from '../local-network';
import { makePayment } from '../make-payment';
import { PaymentRefused } from '../payment';
import { startTicker, WorkQueue } from '../work-queue';
import { fromEvm, readAddress, toBase58 } from './address';
import { SOLID_LAG, TronChain } from './chain';
import { deployGenesisContracts, GENESIS_SUN } from './contracts';
import { tronFaults } from './faults';
import { serveTron } from './http';
import { TronPayer, type Signer } from './pay';
import { freeze } from './stakes';

const NETWORK = 'tron';
/** Three seconds on the real network. Here a payment is solid after ten. */
const BLOCK_MS = 500;
/** Sun. */
const [SPONSOR_COIN, SPONSOR_STAKE] = [100_000_000_000n, 1_000_000_000_000n];
/** The payer's key as tronweb takes it: hex without 0x. */
const KEY = { create: () => newKey().slice(2), form: /^[0-9a-f]{64}$/ };

/** A running node; `chain` is for tests that inspect its state directly. */
export type TronNode = LocalNetwork & { readonly chain: TronChain };

export type TronNodeOptions = {
  /** The payer's private key, hex without 0x; a new one when absent. */
  readonly key?: string;
  /** An additional account with the payer's initial amounts. */
  readonly holder?: string | undefined;
  /** The account that pays for sweeps: gets TRX, of which most is staked for energy. */
  readonly sponsor?: string | undefined;
  /** Milliseconds between blocks; null makes blocks only for payments and by `mine`. */
  readonly blockMs?: number | null;
  readonly clock?: Clock;
  readonly onFault?: (error: Error) => void;
};

/** The sandbox's chain: its payer's key is stored in the directory. */
export function startTron({ directory, refundWallet, onFault }: StartOptions): Promise<LocalNetwork> {
  const sponsor = refundWallet?.sponsors?.[NETWORK];
  return startTronNode({ key: openPayerKey(directory, NETWORK, KEY), holder: refundWallet?.tron, sponsor, onFault });
}

/** Starts a node with its tokens and a funded payer; nothing is written to disk. */
export async function startTronNode(options: TronNodeOptions = {}): Promise<TronNode> {
  const { key = KEY.create(), blockMs = BLOCK_MS, clock = systemClock, onFault = rethrow } = options;
  const spec = localSpec();
  const chain = await TronChain.open({ chainId: spec.chainId, clock });
  const [wallet, issuer] = [signerOf(`0x${key}`), signerOf(newKey())];
  const holder = options.holder === undefined ? undefined : (readAddress(options.holder) ?? undefined);
  const founders = { payer: wallet.address, issuer: issuer.address, holder };
  const contracts = await deployGenesisContracts(chain, spec, founders);
  if (options.sponsor !== undefined) fundSponsor(chain, options.sponsor);
  // The content of the first block is solid at once, and payments can be reverted.
  for (let number = 0; number < SOLID_LAG; number++) await chain.produce();
  const server = await serveTron(chain);
  let isStopped = false;
  const makeBlock = async () => {
    if (!isStopped) await chain.exclusively(() => chain.produce());
  };
  const beat = blockMs === null ? null : startTicker(blockMs, makeBlock, onFault);
  // One payment at a time, so that the funds minted for one are not spent by another.
  const turns = new WorkQueue();
  const payer = new TronPayer({ spec, chain, contracts, wallet, issuer, isStopped: () => isStopped, onFault });
  return {
    network: NETWORK,
    spec,
    chain,
    rpcUrl: server.url,
    payer: { address: toBase58(wallet.address), privateKey: key },
    isAddress: (text) => text.startsWith('T') && readAddress(text) !== null,
    pay: (payment) => turns.take(() => makePayment(payer, payment)),
    balance: (address, currency) => payer.balance(address, currency),
    blockedAddress: (currency) => payer.blockedAddress(currency),
    faults: tronFaults({
      ...{ chain, payer, coin: SPONSOR_COIN },
      sponsor: options.sponsor === undefined ? null : readAddress(options.sponsor),
      ...{ refundWallet: holder ?? null, refundCoin: GENESIS_SUN },
      setStopped: (stopped) => void (isStopped = stopped),
    }),
    mine: (blocks) => chain.exclusively(() => mine(chain, blocks)),
    reorganise: (depth) => chain.exclusively(() => reorganise(chain, depth)),
    stop: async () => {
      beat?.stop();
      await server.stop();
    },
  };
}

function localSpec(): NetworkSpec & { chainId: number } {
  const spec = networkSpec('test', NETWORK, 'local');
  if (!spec?.chainId) throw new Error(`networks.ts has no local ${NETWORK}`);
  return { ...spec, chainId: spec.chainId };
}

/** Its stake lasts for about a hundred and fifty sweeps a day. */
function fundSponsor({ state }: TronChain, text: string): void {
  const sponsor = readAddress(text);
  if (sponsor === null) throw new Error('the sponsor of sweeps has no TRON address');
  state.activate(sponsor);
  state.addBalance(sponsor, SPONSOR_COIN);
  freeze(state, sponsor, 'ENERGY', SPONSOR_STAKE);
}

async function mine(chain: TronChain, blocks: number): Promise<number> {
  for (let left = blocks; left > 0; left--) await chain.produce();
  return chain.head().number;
}

/** All transactions of the replaced blocks are lost. */
async function reorganise(chain: TronChain, depth: number): Promise<void> {
  const most = chain.forkableDepth();
  if (depth > most) throw new PaymentRefused(`TRON never goes back behind a solid block: at most ${most} blocks now`);
  await chain.fork(depth, () => false);
}

const newKey = (): string => hexlify(randomBytes(32));
const signerOf = (key: string): Signer => ({ key, address: fromEvm(computeAddress(key)) });

function rethrow(error: Error): void {
  throw error;
}
