// The sandbox's payer on a local EVM chain: the transactions of each scenario of a test payment.

import { Interface, Wallet } from 'ethers';
import type { NetworkSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { GRANT_CENTS, RESERVE_CENTS } from '../local-network';
import type { ScenarioPayer, Sent, Transfer } from '../make-payment';
import { PaymentRefused, tokenFor, type Share } from '../payment';
import type { Account, Call, LocalChain, Receipt } from './local-chain';
import { balanceOf, mintToken, type Contracts } from './tokens';

/** Enough for a transfer or two. Unused gas costs nothing. */
const TRANSFER_GAS = 150_000n;
const BATCH_GAS = 300_000n;
/** More than any balance, so that the transfer always reverts. */
const IMPOSSIBLE_AMOUNT = 2n ** 255n;

const token = new Interface(['function transfer(address to, uint256 value)']);
const batch = new Interface(['function pay(address token, address[] recipients, uint256[] amounts)']);

type Parts = {
  readonly spec: NetworkSpec;
  readonly chain: LocalChain;
  readonly contracts: Contracts;
  /** Holds the tokens and the coin for fees. */
  readonly wallet: Account;
  /** Owner of the token contracts, new at each start. */
  readonly issuer: Account;
};

export class EvmPayer implements ScenarioPayer<Call> {
  readonly spec: NetworkSpec;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.spec = parts.spec;
    this.#parts = parts;
  }

  async transfer({ currency, recipient, cents }: Transfer): Promise<Call> {
    const { contract, decimals } = tokenFor(this.spec, currency);
    await this.#keepStocked(currency, cents);
    return this.#callTo(contract, recipient, centsToBaseUnits(cents, decimals));
  }

  async counterfeit({ currency, recipient, cents }: Transfer): Promise<Call> {
    const { chain, contracts, issuer, wallet } = this.#parts;
    const { decimals } = tokenFor(this.spec, currency);
    const contract = contracts.counterfeits[currency];
    if (!contract) throw new PaymentRefused(`there is no counterfeit of ${currency} on ${this.spec.network}`);
    const amount = centsToBaseUnits(cents, decimals);
    await mintToken(chain, issuer, { contract, holder: wallet.address, amount });
    return this.#callTo(contract, recipient, amount);
  }

  async impossible({ currency, recipient }: Transfer): Promise<Call> {
    return this.#callTo(tokenFor(this.spec, currency).contract, recipient, IMPOSSIBLE_AMOUNT);
  }

  async batch(currency: string, shares: readonly Share[]): Promise<Call> {
    const { contract, decimals } = tokenFor(this.spec, currency);
    await this.#keepStocked(
      currency,
      shares.reduce((sum, { cents }) => sum + cents, 0n),
    );
    const data = batch.encodeFunctionData('pay', [
      contract,
      shares.map(({ recipient }) => recipient),
      shares.map(({ cents }) => centsToBaseUnits(cents, decimals)),
    ]);
    return { from: this.#parts.wallet, to: this.#parts.contracts.batchPayer, data, gasLimit: BATCH_GAS };
  }

  newAddress(): string {
    return Wallet.createRandom().address;
  }

  async send(calls: readonly Call[]): Promise<Sent[]> {
    return (await this.#parts.chain.send(calls)).map(sentOf);
  }

  async sendAndTakeBack(call: Call, visibleMs: number): Promise<Sent> {
    return sentOf(await this.#parts.chain.sendAndTakeBack(call, visibleMs));
  }

  /** Mints more tokens for the payer whenever a payment would bring it below its reserve, so that it can pay any price. */
  async #keepStocked(currency: string, cents: bigint): Promise<void> {
    const { chain, issuer, wallet } = this.#parts;
    const { contract, decimals } = tokenFor(this.spec, currency);
    const balance = await balanceOf(chain, contract, wallet.address);
    if (balance >= centsToBaseUnits(cents + RESERVE_CENTS, decimals)) return;
    const amount = centsToBaseUnits(cents + GRANT_CENTS, decimals);
    await mintToken(chain, issuer, { contract, holder: wallet.address, amount });
  }

  #callTo(contract: string, recipient: string, amount: bigint): Call {
    const data = token.encodeFunctionData('transfer', [recipient, amount]);
    return { from: this.#parts.wallet, to: contract, data, gasLimit: TRANSFER_GAS };
  }
}

const sentOf = ({ transactionHash, succeeded }: Receipt): Sent => ({ hash: transactionHash, succeeded });
