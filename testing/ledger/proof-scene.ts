// A proof of reserves on a real database: wallets that hold what a test says, the worker's step, and the documents that it leads to.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readProof, listKeys, listProofs, type ProofDocument } from '@/lib/ledger/proofs/document';
import { pemOf, signProof } from '@/lib/ledger/proofs/key';
import { proofStepWith, type ProofParts } from '@/lib/ledger/proofs/step';
import { ChainError } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import type { TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';

const EVIDENCE_KEY = [randomBytes(32)] as const;
export const REFUND_WALLET = '0x00000000000000000000000000000000000000aa';
export const TREASURY = '0x52908400098527886e0f7030069857d2e4169ee7';
const VERIFY = path.join(import.meta.dirname, '../../docs/snippets/verify-reserves.mjs');

/** The wallets of a network as its endpoints report them. A test changes it between runs. */
type WalletState = {
  amounts: Record<string, Record<string, bigint>>;
  block: number;
  isDown: boolean;
  /** Runs after each complete reading. */
  afterReading: () => void | Promise<void>;
};

export type ProofScene = {
  readonly clock: TestClock;
  readonly context: Context;
  readonly states: Readonly<Record<string, WalletState>>;
  readonly signer: { isAway: boolean };
  readonly run: () => Promise<void>;
  /** The same for the live environment too, after the test environment. It has no row in `chains`: its networks are behind. */
  readonly runBoth: () => Promise<void>;
  /** Runs the step until a new proof is stored, or as often as it repeats. */
  readonly make: () => Promise<void>;
  readonly newest: (storeId: string) => Promise<ProofDocument>;
};

export async function openProofScene(db: TestDatabase, networks: readonly string[]): Promise<ProofScene> {
  const clock = new TestClock();
  const config = { ...testConfig(), TREASURY_WALLETS: [`ethereum@local=${TREASURY}`] };
  const context = { ...testContext(db, clock, config), config };
  const states: Record<string, WalletState> = {};
  const chains: ProofParts['chains'][number][] = [];
  for (const network of networks) {
    await makeChain(db, network, 0);
    const state: WalletState = { amounts: {}, block: 90, isDown: false, afterReading: () => undefined };
    states[network] = state;
    chains.push(await chainReader(db, network, state));
  }
  const solana = 'So11111111111111111111111111111111111111112';
  const addresses = { evm: REFUND_WALLET, tron: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA', solana };
  const signer = { isAway: false };
  const parts: ProofParts = {
    evidenceKey: EVIDENCE_KEY,
    chains,
    refundWallets: async () => {
      if (signer.isAway) throw new AddressSourceError('unavailable', 'the signer does not answer');
      return { live: addresses, test: addresses };
    },
  };
  const step = proofStepWith(parts);
  const live = chains.map((one) => ({ ...one, chain: { ...one.chain, environment: 'live' as const } }));
  const stepOfBoth = proofStepWith({ ...parts, chains: [...chains, ...live] });
  const run = async () => void (await step(context));
  const runBoth = async () => void (await stepOfBoth(context));
  return {
    ...{ clock, context, states, signer, run, runBoth },
    make: async () => {
      const before = (await listProofs(db.pool, 'test', 100)).length;
      for (let at = 0; at < 30 && (await listProofs(db.pool, 'test', 100)).length === before; at++) await run();
    },
    newest: async (storeId) => {
      const [made] = await listProofs(db.pool, 'test', 1);
      const document = made && (await readProof(db.pool, { storeId, environment: 'test' }, made.id));
      if (!document) throw new Error('no proof was made');
      return document;
    },
  };
}

async function chainReader(
  db: TestDatabase,
  network: string,
  state: WalletState,
): Promise<ProofParts['chains'][number]> {
  const spec = networkSpec('test', network, 'local');
  if (!spec) throw new Error(`there is no network ${network}`);
  const { rows } = await db.pool.query<{ genesis: string }>(
    'SELECT genesis FROM chains WHERE network = $1 AND retired_at IS NULL ORDER BY id DESC LIMIT 1',
    [network],
  );
  const last = Object.keys(spec.tokens).at(-1);
  const chain = { environment: 'test', network, spec, adapter: { genesis: async () => rows[0]?.genesis ?? '' } };
  return {
    chain: chain as unknown as FollowedChain,
    reader: {
      tokens: async (holdings, currency) => {
        if (state.isDown) throw new ChainError('unavailable', 'no endpoint answers');
        const block = { number: state.block, hash: '0x1', parentHash: '0x0', time: 0 };
        const found = holdings.map(({ address }) => {
          const amount = state.amounts[address]?.[currency] ?? 0n;
          return [address, { amount, from: block, through: block }] as const;
        });
        if (currency === last) await state.afterReading();
        return new Map(found);
      },
    },
  };
}

/** A document with the signature of its present statement, as a dishonest worker could sign it. */
export function signAgain<T extends { readonly statement: unknown }>(document: T): T & { readonly signature: object } {
  const { signature, publicKey } = signProof(EVIDENCE_KEY, JSON.stringify(document.statement));
  const texts = { public_key: publicKey.toString('base64'), value: signature.toString('base64') };
  return { ...document, signature: { algorithm: 'Ed25519', ...texts } };
}

/** What the merchant's program says about a document: its output, or why it refused it. */
export async function verifyByProgram(
  db: TestDatabase,
  directory: string,
  document: unknown,
): Promise<{ out: string; error: string }> {
  const [proof, keys] = ['proof.json', 'keys.json'].map((name) => path.join(directory, name));
  writeFileSync(proof as string, JSON.stringify(document));
  const known = (await listKeys(db.pool)).map(({ publicKey }) => ({ pem: pemOf(publicKey) }));
  writeFileSync(keys as string, JSON.stringify({ keys: known }));
  const { stdout, stderr } = spawnSync(process.execPath, [VERIFY, proof as string, keys as string], {
    encoding: 'utf8',
  });
  return { out: stdout, error: /Error: (.*)/.exec(stderr)?.[1] ?? stderr };
}
