// Sweeps on a local chain: deposit addresses that delegate to the sweeping contract, and the sponsor that calls it. For tests and
// benchmarks, which hold every key themselves.

import { Interface, toQuantity, Wallet, type Authorization, type TransactionLike } from 'ethers';
import {
  CREATE2_FACTORY,
  delegateAddress,
  deploymentData,
  sweepGasLimit,
  sweepManyData,
} from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import type { LocalNetwork } from '../local-network';
import { openRpc, type Rpc } from './rpc';

const COINS = 1000n * 10n ** 18n;
const MAX_FEE = 100n * 10n ** 9n;
/** The most gas of one transaction since EIP-7825. */
const MOST_GAS = 16_777_216n;
/** More than a transfer of any listed token needs. */
export const GAS_EACH = 100_000n;

const events = new Interface(['event Skipped(address indexed deposit, address indexed token)']);
const token = new Interface([
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value)',
]);

type Log = { readonly address: string; readonly topics: string[]; readonly data: string };
type Receipt = { readonly status: string; readonly gasUsed: string; readonly logs: Log[] };
export type Landed = {
  readonly succeeded: boolean;
  readonly gas: bigint;
  /** The deposit addresses that the contract reported. */
  readonly skipped: readonly string[];
  /** Events of all contracts. */
  readonly events: number;
};
export type Sent = {
  readonly to: string;
  readonly data?: string;
  readonly value?: bigint;
  readonly gasLimit?: bigint;
  readonly authorizationList?: Authorization[];
};
export type Batch = {
  /** The token's contract. */
  readonly token: string;
  readonly deposits: readonly Wallet[];
  readonly authorizationList?: Authorization[];
  readonly gasEach?: bigint;
  readonly gasLimit?: bigint;
  /** Where to call it, if not at the contract. */
  readonly at?: string;
};

export class Sweeping {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly treasury = newWallet();
  readonly sponsor = newWallet();
  readonly spareSponsor = newWallet();
  /** The address of the contract, in lower case. */
  readonly delegate: string;

  private constructor(url: string, chainId: number) {
    this.rpc = openRpc(url);
    this.chainId = chainId;
    this.delegate = delegateAddress(this.#wallets());
  }

  /** Gives the sponsors and the treasury coin and deploys the contract. */
  static async open(chain: LocalNetwork): Promise<Sweeping> {
    const rpc = openRpc(chain.rpcUrl);
    const sweeping = new Sweeping(chain.rpcUrl, Number(await rpc('eth_chainId')));
    for (const one of [sweeping.sponsor, sweeping.spareSponsor, sweeping.treasury]) await sweeping.addCoin(one);
    await sweeping.deploy();
    return sweeping;
  }

  async deploy(): Promise<void> {
    const { succeeded } = await this.send(this.sponsor, { to: CREATE2_FACTORY, data: deploymentData(this.#wallets()) });
    if (!succeeded) throw new Error('the contract was not deployed');
  }

  /** The tuple by which a deposit address delegates to the contract, or to another one. */
  authorize(deposit: Wallet, nonce = 0, address = this.delegate): Authorization {
    return deposit.authorizeSync({ address, chainId: this.chainId, nonce });
  }

  /** Sends one call of `sweepMany` to the contract. */
  sweep(batch: Batch, from = this.sponsor): Promise<Landed> {
    const { deposits, at = this.delegate, gasEach = GAS_EACH, authorizationList } = batch;
    const counts = { deposits: deposits.length, authorizations: authorizationList?.length ?? 0 };
    const { gasLimit = sweepGasLimit({ ...counts, gasEach }) } = batch;
    const data = sweepManyData(batch.token.toLowerCase(), gasEach, deposits.map(addressOf));
    return this.send(from, { to: at, data, gasLimit, ...(authorizationList ? { authorizationList } : {}) });
  }

  /** Sends a transaction and resolves when it is in a block. Throws if the node refuses it. */
  async send(from: Wallet, { authorizationList, ...sent }: Sent): Promise<Landed> {
    const nonce = Number(await this.rpc('eth_getTransactionCount', from.address, 'latest'));
    const transaction: TransactionLike = {
      ...{ chainId: this.chainId, nonce, gasLimit: MOST_GAS, ...sent },
      ...{ maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 1n },
      ...(authorizationList ? { type: 4, authorizationList } : { type: 2 }),
    };
    const receipt = await this.rpc<Receipt>('eth_sendRawTransactionSync', await from.signTransaction(transaction));
    return this.#landed(receipt);
  }

  /** Base units of a token that an address holds. */
  async holds(contract: string, { address }: { address: string }): Promise<bigint> {
    const data = token.encodeFunctionData('balanceOf', [address]);
    return BigInt(await this.rpc('eth_call', { to: contract, data }, 'latest'));
  }

  /** Pays each address the same amount of a token. */
  async pay(from: Wallet, contract: string, to: readonly Wallet[], amount: bigint): Promise<void> {
    for (const { address } of to) {
      const data = token.encodeFunctionData('transfer', [address, amount]);
      if (!(await this.send(from, { to: contract, data })).succeeded) throw new Error('a payment failed');
    }
  }

  addCoin({ address }: Wallet): Promise<unknown> {
    return this.rpc('anvil_setBalance', address, toQuantity(COINS));
  }

  #wallets() {
    const [treasury, sponsor, spareSponsor] = [this.treasury, this.sponsor, this.spareSponsor].map(addressOf);
    return { treasury: treasury!, sponsor: sponsor!, spareSponsor: spareSponsor! };
  }

  #landed(receipt: Receipt): Landed {
    // Other code can emit the same event, so the address that emitted it counts.
    const own = receipt.logs.filter(({ address }) => address.toLowerCase() === this.delegate);
    const skipped = own.map((log) => (events.parseLog(log)!.args as unknown as { deposit: string }).deposit);
    return { succeeded: receipt.status === '0x1', gas: BigInt(receipt.gasUsed), skipped, events: receipt.logs.length };
  }
}

export const newWallet = (): Wallet => new Wallet(Wallet.createRandom().privateKey);
export const newWallets = (count: number): Wallet[] => Array.from({ length: count }, newWallet);
const addressOf = ({ address }: Wallet): string => address.toLowerCase();
