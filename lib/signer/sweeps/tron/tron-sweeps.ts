// Signs sweeps on TRON. Every transaction is built here from a few checked fields: tokens go to the treasury of the signer's
// settings, and coin and energy go to own deposit addresses. Every method is synchronous.

import { tronSweepSigning, type SweepContract } from '@/lib/networks/families/tron/sweeping/sweep-transaction';
import { factoriesOn, type ForwarderFactory } from '@/lib/networks/families/tron/sweeping/factories';
import { tokenOf } from '@/lib/networks/networks';
import { checkTronLife } from '@/lib/signer/draft-rules';
import type { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { Refusal } from '@/lib/signer/refusal';
import { ACTIVATION, countFees, SUN_PER_BYTE } from '@/lib/signer/sweeps/fees';
import type { SignedSweep, SweepState } from '@/lib/signer/sweeps/orders';
import {
  nameOf,
  otherRefundWallet,
  type RefundWalletsOf,
  type SweepChain,
  type SweepPolicy,
} from '@/lib/signer/sweeps/policy';
import type { SweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import type { SigningAccount } from '@/lib/treasury/wallets/secp-account';
import type { TronSweepParams } from './orders';

type Parts = {
  /** Shared with the signer of refunds. */
  readonly journal: SignerJournal;
  readonly keys: SweepKeys;
  readonly policy: SweepPolicy;
  readonly refundWallets: RefundWalletsOf;
  readonly factories?: readonly ForwarderFactory[];
};

/** A network with the contracts of its forwarders, the one for new addresses first. */
type Chain = SweepChain & { readonly factories: readonly string[] };

export class TronSweeps {
  readonly #journal: SignerJournal;
  readonly #keys: SweepKeys;
  readonly #sponsor: SweepPolicy['sponsor'];
  readonly #chains: readonly Chain[];

  /** Throws when a treasury is a sponsor, or the refund wallet of the other environment. */
  constructor({ journal, keys, policy, refundWallets, factories = [] }: Parts) {
    this.#journal = journal;
    this.#keys = keys;
    this.#sponsor = policy.sponsor;
    this.#chains = policy.chains
      .filter(({ spec }) => spec.family === 'tron')
      .map((chain) => ({ ...chain, factories: factoriesOn(factories, chain.spec) }));
    for (const { spec, treasury } of this.#chains) {
      const sponsors = [keys.sponsor(spec.environment, 'first'), keys.sponsor(spec.environment, 'spare')];
      const refundWallet = otherRefundWallet(refundWallets, spec.environment);
      if ([...sponsors.map(({ address }) => address), refundWallet].includes(treasury))
        throw new Error(`The treasury wallet of ${nameOf(spec)} is a wallet of this signer; name one of your own.`);
    }
  }

  /** Builds and signs the transaction of a sweep. Throws a Refusal. */
  sweep(params: TronSweepParams): SignedSweep {
    this.#journal.needUnfrozen();
    const { environment, network, transaction } = params;
    const chain = this.#chains.find(({ spec }) => spec.environment === environment && spec.network === network);
    if (!chain) throw new Refusal('not_allowed', 'the signer has no treasury wallet on this network');
    if (transaction.kind === 'flush') {
      const sponsor = this.#keys.sponsor(environment, this.#sponsor);
      return this.#sign(chain, params, flushOf(chain, transaction, sponsor), sponsor);
    }
    if (transaction.index > this.#journal.index.highestIndex)
      throw new Refusal('not_allowed', 'the deposit address of this index was never given');
    return this.#keys.withDeposit(transaction.index, (deposit) => {
      const account = transaction.kind === 'transfer' ? deposit : this.#keys.sponsor(environment, this.#sponsor);
      return this.#sign(chain, params, contractOf(chain, transaction, { deposit, account }), account);
    });
  }

  /** The networks with a treasury. */
  state(): SweepState[] {
    const now = this.#journal.nextTime();
    return this.#chains.map(({ spec, treasury, feesPerHour, factories }) => ({
      network: nameOf(spec),
      environment: spec.environment,
      treasury,
      sponsor: this.#keys.sponsor(spec.environment, 'first').address,
      spareSponsor: this.#keys.sponsor(spec.environment, 'spare').address,
      active: this.#keys.sponsor(spec.environment, this.#sponsor).address,
      delegate: null,
      ...(factories.length > 0 ? { forwarders: [...factories] } : {}),
      feesPerHour: String(feesPerHour),
      feesLastHour: String(this.#journal.index.feesBefore(now, nameOf(spec))),
    }));
  }

  /** Wipes the keys. */
  close(): void {
    this.#keys.wipe();
  }

  #sign(chain: SweepChain, params: TronSweepParams, contract: SweepContract, account: SigningAccount): SignedSweep {
    const { refBlockBytes, refBlockHash, expiration, timestamp } = params;
    const feeLimit = BigInt(params.feeLimit);
    // Without a limit a call has no energy, also where its account has enough of a stake.
    if ((contract.kind === 'token' || contract.kind === 'flush') !== feeLimit > 0n)
      throw new Refusal('not_allowed', 'the fee limit is for transfers of tokens');
    const now = this.#journal.nextTime();
    checkTronLife(params, now);
    const terms = { refBlockBytes, refBlockHash, expiration, timestamp, feeLimit };
    const { payload, bandwidth, finish } = tronSweepSigning(contract, terms);
    const { spec } = chain;
    const counted = countFees(this.#journal.index, chain, {
      cost: feeLimit + coinIn(contract) + BigInt(bandwidth) * SUN_PER_BYTE,
      most: contract.kind === 'flush' ? BigInt(contract.salts.length) * spec.feeCap : spec.feeCap,
      now,
    });
    const { hash, bytes } = finish(account.sign(payload));
    this.#journal.write([{ kind: 'fees', chain: nameOf(spec), wei: String(counted), hash }]);
    return { from: account.address, hash, bytes };
  }
}

type Order = TronSweepParams['transaction'];
type Flush = Extract<Order, { kind: 'flush' }>;

/** The treasury is part of the contract's code, so the call names none: only the contracts of the own settings are called. */
function flushOf({ spec, factories }: Chain, order: Flush, { address: owner }: SigningAccount): SweepContract {
  const { kind, factory, contract, energyEach, salts } = order;
  if (!factories.includes(factory))
    throw new Refusal('not_allowed', 'the contract of these forwarders is not in the settings of the signer');
  if (tokenOf(spec, contract) === null) throw new Refusal('not_allowed', 'the contract is no token of this network');
  return { kind, owner, factory, contract, energyEach: BigInt(energyEach), salts };
}

type Accounts = { readonly deposit: SigningAccount; readonly account: SigningAccount };

function contractOf(
  { spec, treasury }: SweepChain,
  transaction: Exclude<Order, Flush>,
  { deposit: { address }, account: { address: owner } }: Accounts,
): SweepContract {
  switch (transaction.kind) {
    case 'activate':
      return { kind: 'activate', owner, account: address };
    case 'top_up':
      return { kind: 'coin', owner, to: address, amount: BigInt(transaction.amount) };
    case 'delegate':
    case 'undelegate':
      return { kind: transaction.kind, owner, receiver: address, balance: BigInt(transaction.balance) };
    case 'transfer': {
      const { contract, amount } = transaction;
      if (tokenOf(spec, contract) === null)
        throw new Refusal('not_allowed', 'the contract is no token of this network');
      return { kind: 'token', owner, contract, to: treasury, amount: BigInt(amount) };
    }
    default:
      return transaction satisfies never;
  }
}

/** Sun that leaves the sponsor besides the fees of energy and bandwidth. A top-up may create the account. */
function coinIn(contract: SweepContract): bigint {
  if (contract.kind === 'activate') return ACTIVATION;
  return contract.kind === 'coin' ? contract.amount + ACTIVATION : 0n;
}
