// Signing requests of every family without a chain: transfers as the chains' own libraries write them, and the keys that sign them.

import { Keypair } from '@solana/web3.js';
import { Wallet } from 'ethers';
import { utils } from 'tronweb';
import type { AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import { makeRequest, type Request } from '@/lib/cold-storage/returns/request-file';
import { writeSafeTransfer } from '@/lib/networks/families/evm/safe/contract';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { writeSolanaDraft } from '@/lib/networks/families/solana/sending/write-draft';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import type { NetworkFamily } from '@/lib/networks/chain';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { sha256 } from '@/lib/platform/crypto';
import type { JsonValue } from '@/lib/platform/json/json';
import { canonicalJson } from '@/lib/platform/json/json-text';

export const CREATED = new Date('2026-11-29T12:00:00Z');
const ID = `cr_${'a1B2'.repeat(5)}zZ`;
const NETWORK: Readonly<Record<NetworkFamily, string>> = { evm: 'ethereum', tron: 'tron', solana: 'solana' };

export type RequestCase = {
  readonly family: NetworkFamily;
  readonly spec: NetworkSpec;
  readonly request: Request;
  readonly to: string;
  readonly from: string;
  /** The content of a key file. */
  readonly keyFile: string;
};

const specFor = (family: NetworkFamily): NetworkSpec =>
  NETWORKS.find((row) => row.network === NETWORK[family] && row.chain === 'mainnet') as NetworkSpec;

/** The text of a file with these fields, under their own sha256: what an attacker who rewrites a request would carry. */
export function rewritten(fields: object): Uint8Array {
  const { sha256: _, ...rest } = fields as Record<string, JsonValue>;
  const digest = sha256(canonicalJson(rest)).toString('hex');
  return Buffer.from(`${canonicalJson({ ...rest, sha256: digest })}\n`);
}

/** Two transfers, of USDT and of USDC. `fees` is a multiple of their usual fee cap. */
export async function requestCase(family: NetworkFamily, fees = 1n): Promise<RequestCase> {
  const { from, to, keyFile } = WALLETS[family]();
  const spec = specFor(family);
  const items = await Promise.all(
    ['USDT', 'USDC'].map(async (currency, index) => {
      const intent = `${ID}_${index + 1}`;
      const given = { spec, currency, from, to, intent, index, fees };
      return describeItem(spec, { intent, from, unsigned: await UNSIGNED[family](given) }, null);
    }),
  );
  return {
    family,
    spec,
    from,
    to,
    keyFile,
    request: makeRequest({ id: ID, items, spec, created: CREATED, terms: null }),
  };
}

/** The key of each owner of a Safe, of its executor, and of a stranger. */
export type SafeCase = RequestCase & {
  readonly keys: Readonly<Record<'owner1' | 'owner2' | 'owner3' | 'executor' | 'stranger', string>>;
};

/** A transfer of a Safe with three owners, of whom two sign. */
export async function safeCase({ withExecutor = true, fees = 1n } = {}): Promise<SafeCase> {
  const spec = specFor('evm');
  const [from, to] = [Wallet.createRandom(), Wallet.createRandom()].map(({ address }) => address.toLowerCase()) as [
    string,
    string,
  ];
  const wallets = { owner1: Wallet.createRandom(), owner2: Wallet.createRandom(), owner3: Wallet.createRandom() };
  const [executor, stranger] = [Wallet.createRandom(), Wallet.createRandom()];
  const prices = { maxFeePerGas: String(fees * 30n * 10n ** 9n), maxPriorityFeePerGas: String(10n ** 9n) };
  const execution = { executor: executor.address.toLowerCase(), nonce: 9, ...prices, gasLimit: '210000' };
  const owners = Object.values(wallets).map(({ address }) => address.toLowerCase());
  const terms: AccountTerms = {
    ...{ kind: 'safe', version: '1.4.1', threshold: 2, owners },
    execution: withExecutor ? execution : null,
  };
  const { contract } = spec.tokens.USDT!;
  const unsigned = await writeSafeTransfer({ contract, to, amount: AMOUNT, nonce: 4 });
  const items = [describeItem(spec, { intent: `${ID}_1`, from, unsigned }, terms)];
  const keys = Object.fromEntries(
    Object.entries({ ...wallets, executor, stranger }).map(([name, { privateKey }]) => [name, privateKey]),
  ) as SafeCase['keys'];
  const request = makeRequest({ id: ID, items, spec, created: CREATED, terms });
  return { ...{ family: 'evm', spec, from, to, request, keys }, keyFile: keys.owner1 };
}

type Wallets = { readonly from: string; readonly to: string; readonly keyFile: string };
const WALLETS: Readonly<Record<NetworkFamily, () => Wallets>> = {
  evm() {
    const { address, privateKey } = Wallet.createRandom();
    return { from: address.toLowerCase(), to: Wallet.createRandom().address.toLowerCase(), keyFile: privateKey };
  },
  tron() {
    const { address, privateKey } = utils.accounts.generateAccount();
    return { from: address.base58, to: utils.accounts.generateAccount().address.base58, keyFile: privateKey };
  },
  solana() {
    const pair = Keypair.generate();
    const to = Keypair.generate().publicKey.toBase58();
    return { from: pair.publicKey.toBase58(), to, keyFile: JSON.stringify([...pair.secretKey]) };
  },
};

type Given = {
  readonly spec: NetworkSpec;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly intent: string;
  readonly index: number;
  readonly fees: bigint;
};

const AMOUNT = 1_250_500_000n;
const UNSIGNED: Readonly<Record<NetworkFamily, (given: Given) => Promise<string>>> = {
  async evm({ spec, currency, from, to, intent, index, fees }) {
    const prices = { maxPriorityFeePerGas: 10n ** 9n, maxFeePerGas: fees * 30n * 10n ** 9n, gasLimit: 80_000n };
    const transfer = { chainId: spec.chainId as number, nonce: 7 + index, ...prices, to, amount: AMOUNT };
    const { contract } = spec.tokens[currency]!;
    return (await writeEvmDraft({ ...transfer, contract }, { intentId: intent, from })).unsigned;
  },
  async tron({ spec, currency, from, to, intent, index, fees }) {
    // The issuer of USDC has left TRON, and the table still has it.
    const { contract } = (spec.tokens[currency] ?? spec.tokens.USDT)!;
    const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1', timestamp: CREATED.getTime() - index };
    const terms = { ...block, expiration: CREATED.getTime() + 86_000_000, feeLimit: fees * 30_000_000n };
    return (await writeTronDraft({ owner: from, contract, to, amount: AMOUNT, ...terms }, intent)).unsigned;
  },
  async solana({ spec, currency, from, to, intent, fees }) {
    const { contract: mint, decimals } = spec.tokens[currency]!;
    const [nonceAccount, blockhash] = [Keypair.generate(), Keypair.generate()].map((one) => one.publicKey.toBase58());
    const units = { unitLimit: 60_000, unitPrice: fees * 1000n };
    const transfer = { from, to, direct: false, mint, decimals, amount: AMOUNT, ...units, memo: intent };
    const nonce = { blockhash: blockhash as string, nonceAccount: nonceAccount as string };
    return (await writeSolanaDraft({ ...transfer, ...nonce }, Number.MAX_SAFE_INTEGER)).unsigned;
  },
};
