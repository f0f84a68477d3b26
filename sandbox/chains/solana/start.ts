// The sandbox's local Solana chain: in this process, with a funded payer whose key stays in the data directory. Each start creates a new
// chain with another genesis hash.

import { generateKeyPairSync } from 'node:crypto';
import { createKeyPairSignerFromBytes, isAddress, type Address } from '@solana/kit';
import { base58 } from '@scure/base';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { openPayerKey } from '../key-file';
import { GRANT_CENTS, type LocalNetwork, type StartOptions } from '../local-network';
import { makePayment } from '../make-payment';
import { PaymentRefused, tokenFor } from '../payment';
import { WorkQueue } from '../work-queue';
import { FINALITY_LAG } from './blocks';
import { solanaFaults } from './faults';
import { startSolanaNode, type SolanaNode } from './node';
import { SolanaPayer } from './payer';

/** Between today's 300 ms of production and the planned 200 ms. A payment is final in eight seconds. */
const SLOT_MS = 250;
const PAYER_LAMPORTS = 1_000_000n * 1_000_000_000n;
/** Enough for many thousand sweeps. */
const SPONSOR_LAMPORTS = 10n * 1_000_000_000n;
/** The 64 bytes that wallets import, as base58. */
const KEY = { create: newSecretKey, form: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/ };

type Options = StartOptions & { readonly slotMs?: number };

/** Starts the chain. When this resolves, its payer is funded. If it throws, nothing keeps running. */
export async function startSolana(options: Options): Promise<LocalNetwork> {
  const { directory, refundWallet, onFault, slotMs = SLOT_MS } = options;
  const privateKey = openPayerKey(directory, 'solana', KEY);
  const wallet = await createKeyPairSignerFromBytes(base58.decode(privateKey));
  const node = await startSolanaNode({ tick: slotMs, onFault });
  const payer = new SolanaPayer(node, wallet, onFault);
  // One payment at a time, so that the funds minted for one are not spent by another.
  const turns = new WorkQueue();
  const stop = async () => {
    payer.stop();
    await node.stop();
  };
  try {
    const holders = [wallet.address, ...(refundWallet ? [refundWallet.solana as Address] : [])];
    for (const holder of holders) await fund(node, holder);
    const sponsor = refundWallet?.sponsors?.solana;
    if (sponsor !== undefined) await node.bank.airdrop(sponsor as Address, SPONSOR_LAMPORTS);
    // The set-up is final, so that no reorg removes funds.
    node.tick(FINALITY_LAG);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    network: 'solana',
    spec: node.spec,
    rpcUrl: node.rpcUrl,
    payer: { address: wallet.address, privateKey },
    isAddress,
    pay: (payment) => turns.take(() => makePayment(payer, payment)),
    balance: async (address, currency) => {
      const mint = tokenFor(node.spec, currency).contract as Address;
      return node.bank.balanceOf(address as Address, mint);
    },
    blockedAddress: (currency) => payer.blockedAddress(currency),
    faults: solanaFaults({
      ...{ node, payer, sponsor: refundWallet?.sponsors?.solana, lamports: SPONSOR_LAMPORTS },
      ...{ refundWallet: refundWallet?.solana, refundLamports: PAYER_LAMPORTS },
    }),
    mine: async (blocks) => {
      node.tick(blocks);
      return node.ledger.blocks.at('confirmed').slot;
    },
    reorganise: async (depth) => reorganise(node, depth),
    stop,
  };
}

async function fund({ bank, spec, mints }: SolanaNode, holder: Address): Promise<void> {
  await bank.airdrop(holder, PAYER_LAMPORTS);
  for (const [currency, { decimals }] of Object.entries(spec.tokens)) {
    const mint = mints.genuine[currency] as Address;
    await bank.mint({ to: holder, mint, amount: centsToBaseUnits(GRANT_CENTS, decimals) });
  }
}

function reorganise({ ledger, dropBlocks }: SolanaNode, depth: number): void {
  const { droppable } = ledger.blocks;
  if (depth > droppable) throw new PaymentRefused(`only the last ${droppable} blocks of solana are not final`);
  dropBlocks(depth);
}

function newSecretKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return base58.encode(Buffer.concat([d, x].map((part) => Buffer.from(part as string, 'base64url'))));
}
