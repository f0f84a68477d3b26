// Signs sweeps on Solana. Every transaction is built here from a few checked fields: tokens go from token accounts of deposit
// addresses to the associated account of the treasury in the signer's settings, and the rent of closed accounts goes to the sponsor. Every
// method is synchronous.

import {
  batchMessage,
  hasUsableAccounts,
  openingMessage,
  signedSweepOf,
  sweepCost,
} from '@/lib/networks/families/solana/sweeping/sweep-transaction';
import { tokenOf } from '@/lib/networks/networks';
import { Refusal } from '@/lib/signer/refusal';
import type { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { countFees } from '@/lib/signer/sweeps/fees';
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
import type { SolanaSweepOrder, SolanaSweepParams } from './orders';

type Batch = Pick<Extract<SolanaSweepOrder, { kind: 'batch' }>, 'deposits' | 'close'>;

type Parts = {
  readonly journal: SignerJournal;
  readonly keys: SweepKeys;
  readonly policy: SweepPolicy;
  readonly refundWallets: RefundWalletsOf;
};

export class SolanaSweeps {
  readonly #journal: SignerJournal;
  readonly #keys: SweepKeys;
  readonly #sponsor: SweepPolicy['sponsor'];
  readonly #chains: readonly SweepChain[];

  /** Throws when a treasury is a sponsor, or the refund wallet of the other environment. */
  constructor({ journal, keys, policy, refundWallets }: Parts) {
    this.#journal = journal;
    this.#keys = keys;
    this.#sponsor = policy.sponsor;
    this.#chains = policy.chains.filter(({ spec }) => spec.family === 'solana');
    for (const { spec, treasury } of this.#chains) {
      const own = [keys.sponsor(spec.environment, 'first'), keys.sponsor(spec.environment, 'spare')];
      const refundWallet = otherRefundWallet(refundWallets, spec.environment);
      if ([...own.map(({ address }) => address), refundWallet].includes(treasury))
        throw new Error(`The treasury wallet of ${nameOf(spec)} is a wallet of this signer; name one of your own.`);
    }
  }

  /** Builds and signs the transaction of a sweep. Throws a Refusal. */
  sweep(params: SolanaSweepParams): SignedSweep {
    this.#journal.needUnfrozen();
    const { environment, network, transaction } = params;
    const chain = this.#chains.find(({ spec }) => spec.environment === environment && spec.network === network);
    if (!chain) throw new Refusal('not_allowed', 'the signer has no treasury wallet on this network');
    if (transaction.kind === 'deploy') return this.#sign(chain, params, { deposits: [], close: false }, []);
    const { deposits } = transaction;
    if (deposits.some(({ index }) => index > this.#journal.index.highestIndex))
      throw new Refusal('not_allowed', 'the deposit address of an index was never given');
    return this.#withDeposits(
      deposits.map(({ index }) => index),
      (owners) => this.#sign(chain, params, transaction, owners),
    );
  }

  /** The networks with a treasury. */
  state(): SweepState[] {
    const now = this.#journal.nextTime();
    return this.#chains.map(({ spec, treasury, feesPerHour }) => ({
      network: nameOf(spec),
      environment: spec.environment,
      treasury,
      sponsor: this.#keys.sponsor(spec.environment, 'first').address,
      spareSponsor: this.#keys.sponsor(spec.environment, 'spare').address,
      active: this.#keys.sponsor(spec.environment, this.#sponsor).address,
      delegate: null,
      feesPerHour: String(feesPerHour),
      feesLastHour: String(this.#journal.index.feesBefore(now, nameOf(spec))),
    }));
  }

  /** Wipes the keys. */
  close(): void {
    this.#keys.wipe();
  }

  #sign(
    chain: SweepChain,
    params: SolanaSweepParams,
    { deposits: ordered, close }: Batch,
    owners: readonly SigningAccount[],
  ): SignedSweep {
    const { spec, treasury } = chain;
    const { blockhash, unitLimit, transaction } = params;
    const found = tokenOf(spec, transaction.contract);
    if (!found) throw new Refusal('not_allowed', 'the mint is no token of this network');
    const account = this.#keys.sponsor(spec.environment, this.#sponsor);
    const { contract: mint, decimals } = found.token;
    const units = { unitLimit, unitPrice: BigInt(params.unitPrice) };
    const fields = { ...units, sponsor: account.address, treasury, mint, decimals, blockhash };
    const deposits = ordered.map(({ amount, account: source }, at) => ({
      owner: (owners[at] as SigningAccount).address,
      amount: BigInt(amount),
      account: source,
    }));
    if (!hasUsableAccounts({ ...fields, deposits, close }))
      throw new Refusal('not_allowed', 'an account is listed twice, or is not one of a deposit address');
    const counted = countFees(this.#journal.index, chain, {
      cost: sweepCost(units, owners.length),
      most: spec.feeCap,
      now: this.#journal.nextTime(),
    });
    const message = deposits.length === 0 ? openingMessage(fields) : batchMessage({ ...fields, deposits, close });
    const signatures = owners.map(({ sign }) => sign(message));
    const { hash, bytes } = signedSweepOf(message, account.sign(message), signatures);
    this.#journal.write([{ kind: 'fees', chain: nameOf(spec), wei: String(counted), hash }]);
    return { from: account.address, hash, bytes };
  }

  /** Runs `use` with the accounts of deposit addresses, whose keys are wiped when it returns or throws. */
  #withDeposits<T>(indexes: readonly number[], use: (owners: readonly SigningAccount[]) => T): T {
    const [first, ...others] = indexes;
    if (first === undefined) return use([]);
    return this.#keys.withDeposit(first, (owner) => this.#withDeposits(others, (more) => use([owner, ...more])));
  }
}
