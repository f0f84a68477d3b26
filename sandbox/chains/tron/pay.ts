// The sandbox's payer on the local TRON chain: the transactions of each scenario of a test payment, signed and sent like any
// other, and included in a block at once.

import { setTimeout as sleep } from 'node:timers/promises';
import { getBytes, hexlify, Interface, randomBytes } from 'ethers';
import type { NetworkSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { GRANT_CENTS, RESERVE_CENTS } from '../local-network';
import type { ScenarioPayer, Sent, Transfer } from '../make-payment';
import { PaymentRefused, tokenFor, type Share } from '../payment';
import { readAddress, toBase58, toEvm } from './address';
import type { Block } from './block';
import type { TronChain } from './chain';
import type { TronContracts } from './contracts';
import { buildTransaction, signTransaction } from './transaction';

/** An account with its key (0x-hex). */
export type Signer = { readonly address: string; readonly key: string };
/** Addresses as hex. */
export type TronCall = { readonly from: Signer; readonly to: string; readonly data: string };

/** A thousand TRX, many times the cost of any of these calls. */
const FEE_LIMIT = 1_000_000_000;
const VALIDITY_MS = 60_000;
const READ_ENERGY = 10_000_000n;
/** More than any balance, so that the transfer always reverts. */
const IMPOSSIBLE_AMOUNT = 2n ** 255n;

const token = new Interface([
  'function transfer(address to, uint256 value)',
  'function mint(address to, uint256 value)',
  'function addBlackList(address account)',
  'function removeBlackList(address account)',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function balanceOf(address account) view returns (uint256)',
]);
const batch = new Interface(['function pay(address token, address[] recipients, uint256[] amounts)']);

/** How the issuer of each freezes an account, and ends that. */
const BLOCKING: Readonly<Record<string, readonly [block: string, unblock: string]>> = {
  USDT: ['addBlackList', 'removeBlackList'],
  USDC: ['blacklist', 'unBlacklist'],
};

type Parts = {
  readonly spec: NetworkSpec;
  readonly chain: TronChain;
  readonly contracts: TronContracts;
  /** Holds the tokens and TRX. */
  readonly wallet: Signer;
  /** Owner of the token contracts. */
  readonly issuer: Signer;
  /** Whether the chain makes no blocks. */
  readonly isStopped: () => boolean;
  readonly onFault: (error: Error) => void;
};

export class TronPayer implements ScenarioPayer<TronCall> {
  readonly spec: NetworkSpec;
  readonly #parts: Parts;
  #lastTimestamp = 0;

  constructor(parts: Parts) {
    this.spec = parts.spec;
    this.#parts = parts;
  }

  async transfer({ currency, recipient, cents }: Transfer): Promise<TronCall> {
    const { contract, decimals } = this.#token(currency);
    await this.#keepStocked(currency, cents);
    return this.#transferOf(contract, recipient, centsToBaseUnits(cents, decimals));
  }

  async counterfeit({ currency, recipient, cents }: Transfer): Promise<TronCall> {
    const { decimals } = this.#token(currency);
    const contract = this.#parts.contracts.counterfeits[currency];
    if (!contract) throw new PaymentRefused(`there is no counterfeit of ${currency} on ${this.spec.network}`);
    const amount = centsToBaseUnits(cents, decimals);
    await this.#mint(contract, amount);
    return this.#transferOf(contract, recipient, amount);
  }

  async impossible({ currency, recipient }: Transfer): Promise<TronCall> {
    return this.#transferOf(this.#token(currency).contract, recipient, IMPOSSIBLE_AMOUNT);
  }

  async batch(currency: string, shares: readonly Share[]): Promise<TronCall> {
    const { contract, decimals } = this.#token(currency);
    await this.#keepStocked(
      currency,
      shares.reduce((sum, { cents }) => sum + cents, 0n),
    );
    const data = batch.encodeFunctionData('pay', [
      toEvm(contract),
      shares.map(({ recipient }) => evmAddress(recipient)),
      shares.map(({ cents }) => centsToBaseUnits(cents, decimals)),
    ]);
    return { from: this.#parts.wallet, to: this.#parts.contracts.batchPayer, data };
  }

  newAddress(): string {
    return toBase58(`41${hexlify(randomBytes(20)).slice(2)}`);
  }

  async send(calls: readonly TronCall[]): Promise<Sent[]> {
    const { chain } = this.#parts;
    return chain.exclusively(async () => (await this.#sendNow(calls)).sent);
  }

  /** No fork goes below the solid head, so this block and its successors do not become solid meanwhile. */
  async sendAndTakeBack(call: TronCall, visibleMs: number): Promise<Sent> {
    const { chain, onFault } = this.#parts;
    const { block, sent } = await chain.exclusively(async () => {
      const done = await this.#sendNow([call]);
      chain.hold(done.block.number);
      return done;
    });
    const [one] = sent as [Sent];
    void this.#takeBack(one.hash, block.number, visibleMs).catch(onFault);
    return one;
  }

  /** Base units that an address holds at the newest block. */
  async balance(address: string, currency: string): Promise<bigint> {
    const { chain, wallet } = this.#parts;
    const data = token.encodeFunctionData('balanceOf', [evmAddress(address)]);
    const run = { from: wallet.address, to: this.#token(currency).contract, data: getBytes(data), value: 0n };
    const { returned } = await chain.exclusively(() => chain.dryRun({ ...run, energyLimit: READ_ENERGY }));
    return BigInt(hexlify(returned));
  }

  /** A new address that the token's issuer has blocked. */
  async blockedAddress(currency: string): Promise<string> {
    const account = this.newAddress();
    await this.setBlocked({ currency, address: account }, true);
    return account;
  }

  /** Whether the token's issuer has blocked an address. */
  async setBlocked({ currency, address }: { currency: string; address: string }, isBlocked: boolean): Promise<void> {
    const { contract } = this.#token(currency);
    const [block, unblock] = BLOCKING[currency] ?? ['blacklist', 'unBlacklist'];
    await this.#issue(contract, token.encodeFunctionData(isBlocked ? block : unblock, [evmAddress(address)]));
  }

  async #takeBack(id: string, number: number, visibleMs: number): Promise<void> {
    const { chain } = this.#parts;
    await sleep(visibleMs, undefined, { ref: false });
    await chain.exclusively(async () => {
      // Another fork may have removed it already.
      const stillThere = chain.known(id)?.included?.block === number;
      if (stillThere) await chain.fork(chain.head().number - number + 1, (transaction) => transaction.id !== id);
      chain.release(number);
    });
  }

  /** Sends the calls and makes a block of them; for serialized work. Throws while the chain is stopped. */
  async #sendNow(calls: readonly TronCall[]): Promise<{ block: Block; sent: Sent[] }> {
    const { chain, isStopped } = this.#parts;
    if (isStopped()) throw new PaymentRefused('this chain makes no blocks now');
    const ids = calls.map(({ from, to, data }) => {
      const value = { owner_address: from.address, contract_address: to, data };
      const timestamp = this.#nextTimestamp();
      const draft = { ...chain.reference(), timestamp, expiration: timestamp + VALIDITY_MS, fee_limit: FEE_LIMIT };
      const transaction = signTransaction(buildTransaction('TriggerSmartContract', value, draft), from.key);
      chain.accept(transaction);
      return transaction.id;
    });
    const block = await chain.produce();
    const sent = ids.map((hash) => {
      const included = chain.known(hash)?.included;
      if (!included) throw new Error(`transaction ${hash} did not come into a block`);
      return { hash, succeeded: included.entry.outcome === 'SUCCESS' };
    });
    return { block, sent };
  }

  /** Makes each transaction unique: the same payment twice would be one transaction otherwise. */
  #nextTimestamp(): number {
    const { chain } = this.#parts;
    this.#lastTimestamp = Math.max(chain.now(), chain.head().time, this.#lastTimestamp + 1);
    return this.#lastTimestamp;
  }

  /** Mints more tokens for the payer whenever a payment would bring it below its reserve, so that it can pay any price. */
  async #keepStocked(currency: string, cents: bigint): Promise<void> {
    const { contract, decimals } = this.#token(currency);
    const held = await this.balance(toBase58(this.#parts.wallet.address), currency);
    if (held >= centsToBaseUnits(cents + RESERVE_CENTS, decimals)) return;
    await this.#mint(contract, centsToBaseUnits(cents + GRANT_CENTS, decimals));
  }

  #mint(contract: string, amount: bigint): Promise<void> {
    return this.#issue(contract, token.encodeFunctionData('mint', [toEvm(this.#parts.wallet.address), amount]));
  }

  /** A call that only the token's issuer may make. */
  async #issue(contract: string, data: string): Promise<void> {
    const [sent] = await this.send([{ from: this.#parts.issuer, to: contract, data }]);
    if (!sent?.succeeded) throw new Error(`a call of the issuer of ${toBase58(contract)} failed`);
  }

  #transferOf(contract: string, recipient: string, amount: bigint): TronCall {
    const data = token.encodeFunctionData('transfer', [evmAddress(recipient), amount]);
    return { from: this.#parts.wallet, to: contract, data };
  }

  /** The token's contract as hex. */
  #token(currency: string): { contract: string; decimals: number } {
    const { contract, decimals } = tokenFor(this.spec, currency);
    return { contract: hexAddress(contract), decimals };
  }
}

function hexAddress(text: string): string {
  const address = readAddress(text);
  if (address === null) throw new PaymentRefused(`${text.slice(0, 60)} is not a TRON address`);
  return address;
}

const evmAddress = (text: string): string => toEvm(hexAddress(text));
