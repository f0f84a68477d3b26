// Signs sweeps of deposit addresses. Every transaction is built here from a few checked fields: tokens go to the treasury
// of the signer's settings, deposit addresses delegate to the signer's own delegate, and coin goes to own deposit
// addresses. A sweep that is signed twice moves nothing the second time, so only its fees are recorded: before each
// signature is answered. Every method is synchronous.

import {
  CREATE2_FACTORY,
  delegateAddress,
  deploymentData,
  sweepManyData,
  type SweepWallets,
} from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import {
  authorizationSigning,
  sweepSigning,
  tokenTransfer,
  type Authorization,
  type SweepCall,
} from '@/lib/networks/families/evm/sweeping/sweep-transaction';
import { tokenOf, type EvmSpec } from '@/lib/networks/networks';
import type { Environment } from '@/lib/platform/ids';
import { Refusal } from '@/lib/signer/refusal';
import type { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { SweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import type { SigningAccount } from '@/lib/treasury/wallets/secp-account';
import { checkFees } from './fees';
import type { AuthorizeParams, EvmSweepParams, SignedSweep, SweepParams, SweepState } from './orders';
import {
  nameOf,
  otherRefundWallet,
  type EvmSweepChain,
  type RefundWalletsOf,
  type SweepChain,
  type SweepPolicy,
} from './policy';
import type { SolanaSweeps } from './solana/solana-sweeps';
import type { TronSweeps } from './tron/tron-sweeps';

type SweepSignerParts = {
  /** Shared with the signer of refunds. */
  readonly journal: SignerJournal;
  readonly keys: SweepKeys;
  readonly policy: SweepPolicy;
  /** Of the EVM networks. */
  readonly refundWallets: RefundWalletsOf;
  /** Null without a treasury wallet on such a network. */
  readonly solana?: SolanaSweeps | null;
  readonly tron?: TronSweeps | null;
};

/** A chain with the contract that its deposit addresses delegate to. */
type Target = EvmSweepChain & { readonly wallets: SweepWallets; readonly delegate: string; readonly chainId: number };

export class SweepSigner {
  readonly #journal: SignerJournal;
  readonly #keys: SweepKeys;
  readonly #policy: SweepPolicy;
  readonly #targets: readonly Target[];
  readonly #solana: SolanaSweeps | null;
  readonly #tron: TronSweeps | null;

  /** Throws when a treasury is a sponsor, a delegate, or the refund wallet of the other environment. */
  constructor({ journal, keys, policy, refundWallets, solana = null, tron = null }: SweepSignerParts) {
    this.#journal = journal;
    this.#keys = keys;
    this.#policy = policy;
    this.#solana = solana;
    this.#tron = tron;
    this.#targets = policy.chains.filter(isEvm).map((chain) => this.#targetOf(chain));
    for (const { spec, wallets, delegate } of this.#targets) {
      const refundWallet = otherRefundWallet(refundWallets, spec.environment);
      if ([wallets.sponsor, wallets.spareSponsor, delegate, refundWallet].includes(wallets.treasury))
        throw new Error(`The treasury wallet of ${nameOf(spec)} is a wallet of this signer; name one of your own.`);
    }
  }

  /** Signs the delegation of a deposit address to the own delegate, on one chain. Throws a Refusal. */
  authorize({ environment, network, index, nonce }: AuthorizeParams): {
    readonly deposit: string;
    readonly authorization: Authorization;
  } {
    this.#journal.needUnfrozen();
    const { chainId, delegate } = this.#target(environment, network);
    return this.#withDeposit(index, ({ address, sign }) => {
      const { payload, finish } = authorizationSigning({ chainId, address: delegate, nonce });
      return { deposit: address, authorization: finish(sign(payload)) };
    });
  }

  /** Builds and signs the transaction of a sweep. Throws a Refusal. */
  sweep(params: SweepParams): SignedSweep {
    if ('blockhash' in params) return needed(this.#solana).sweep(params);
    if ('refBlockHash' in params) return needed(this.#tron).sweep(params);
    this.#journal.needUnfrozen();
    const target = this.#target(params.environment, params.network);
    const { transaction } = params;
    if (transaction.kind !== 'transfer') {
      const call = this.#sponsoredCall(target, transaction);
      return this.#sign(target, params, call, this.#keys.sponsor(params.environment, this.#policy.sponsor));
    }
    const { index, contract, amount } = transaction;
    const call = tokenTransfer(tokenContract(target.spec, contract), target.treasury, BigInt(amount));
    return this.#withDeposit(index, (deposit) => this.#sign(target, params, call, deposit));
  }

  /** Those of these transactions that were signed here lately. They move tokens to the treasury, or coin to own deposit addresses. */
  signedAmong(hashes: readonly string[]): string[] {
    return this.#journal.index.sweeps.among(hashes);
  }

  /** The networks with a treasury. */
  state(): SweepState[] {
    const now = this.#journal.nextTime();
    const evm = this.#targets.map(({ spec, wallets, delegate, feesPerHour }) => ({
      network: nameOf(spec),
      environment: spec.environment,
      ...wallets,
      active: this.#keys.sponsor(spec.environment, this.#policy.sponsor).address,
      delegate,
      feesPerHour: String(feesPerHour),
      feesLastHour: String(this.#journal.index.feesBefore(now, nameOf(spec))),
    }));
    return [...evm, ...(this.#solana?.state() ?? []), ...(this.#tron?.state() ?? [])];
  }

  /** Wipes the keys. The journal belongs to the signer of refunds too. */
  close(): void {
    this.#keys.wipe();
    this.#solana?.close();
    this.#tron?.close();
  }

  #target(environment: Environment, network: string): Target {
    const found = this.#targets.find(({ spec }) => spec.environment === environment && spec.network === network);
    if (!found) throw new Refusal('not_allowed', 'the signer has no treasury wallet on this network');
    return found;
  }

  /** The call of a transaction that the sponsor sends. */
  #sponsoredCall(target: Target, transaction: Exclude<EvmSweepParams['transaction'], { kind: 'transfer' }>): SweepCall {
    const { wallets, delegate, chainId } = target;
    switch (transaction.kind) {
      case 'deploy':
        return { to: CREATE2_FACTORY, value: 0n, data: deploymentData(wallets), authorizations: [] };
      case 'batch': {
        const { deposits, gasEach, authorizations } = transaction;
        if (authorizations.some((one) => one.chainId !== chainId || one.address !== delegate))
          throw new Refusal('not_allowed', 'an authorization is for another chain or another delegate');
        const contract = tokenContract(target.spec, transaction.contract);
        return { to: delegate, value: 0n, data: sweepManyData(contract, BigInt(gasEach), deposits), authorizations };
      }
      case 'top_up': {
        const to = this.#withDeposit(transaction.index, ({ address }) => address);
        return { to, value: BigInt(transaction.amount), data: '0x', authorizations: [] };
      }
      default:
        return transaction satisfies never;
    }
  }

  #sign(target: Target, params: EvmSweepParams, call: SweepCall, account: SigningAccount): SignedSweep {
    const counted = checkFees(this.#journal.index, target, params, this.#journal.nextTime());
    const { payload, finish } = sweepSigning({
      chainId: target.chainId,
      nonce: params.nonce,
      maxFeePerGas: BigInt(params.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(params.maxPriorityFeePerGas),
      gasLimit: BigInt(params.gasLimit),
      ...call,
    });
    const { hash, bytes } = finish(account.sign(payload));
    this.#journal.write([{ kind: 'fees', chain: nameOf(target.spec), wei: String(counted), hash }]);
    return { from: account.address, hash, bytes };
  }

  /** Only addresses that were given have keys in use. */
  #withDeposit<T>(index: number, use: (account: SigningAccount) => T): T {
    if (index > this.#journal.index.highestIndex)
      throw new Refusal('not_allowed', 'the deposit address of this index was never given');
    return this.#keys.withDeposit(index, use);
  }

  #targetOf(chain: EvmSweepChain): Target {
    const { spec, treasury } = chain;
    const addressOf = (which: 'first' | 'spare'): string => this.#keys.sponsor(spec.environment, which).address;
    const wallets = { treasury, sponsor: addressOf('first'), spareSponsor: addressOf('spare') };
    if (spec.chainId === null) throw new Error(`${nameOf(spec)} has no chain id`);
    return { ...chain, wallets, delegate: delegateAddress(wallets), chainId: spec.chainId };
  }
}

function needed<T>(signer: T | null): T {
  if (signer) return signer;
  throw new Refusal('not_allowed', 'the signer has no treasury wallet on this network');
}

const isEvm = (chain: SweepChain): chain is EvmSweepChain => chain.spec.family === 'evm';

function tokenContract(spec: EvmSpec, contract: string): string {
  if (tokenOf(spec, contract) === null) throw new Refusal('not_allowed', 'the contract is no token of this network');
  return contract;
}
