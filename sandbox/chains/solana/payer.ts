// The sandbox's payer on the local Solana chain: the transactions of each scenario of a test payment. Each is in a confirmed
// block when its sending resolves, because a block is made at once.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { getFreezeAccountInstruction, getThawAccountInstruction } from '@solana-program/token';
import { isAddress, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import { base58 } from '@scure/base';
import type { NetworkSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { GRANT_CENTS, RESERVE_CENTS } from '../local-network';
import type { ScenarioPayer, Sent, Transfer } from '../make-payment';
import { PaymentRefused, tokenFor, type Share } from '../payment';
import type { Landed } from './landed';
import type { SolanaNode } from './node';

/** The instructions of a transaction that the payer signs. */
export type Call = readonly Instruction[];

/** More than any balance, so that the transfer always fails. */
const IMPOSSIBLE_AMOUNT = 2n ** 63n;
const HALTED = 'this chain makes no blocks now';

export class SolanaPayer implements ScenarioPayer<Call> {
  readonly spec: NetworkSpec;
  readonly #node: SolanaNode;
  readonly #wallet: KeyPairSigner;
  readonly #onFault: (error: Error) => void;
  #stopped = false;
  /** While the chain makes no blocks, the payer makes none either. */
  isHalted = false;

  constructor(node: SolanaNode, wallet: KeyPairSigner, onFault: (error: Error) => void) {
    this.spec = node.spec;
    this.#node = node;
    this.#wallet = wallet;
    this.#onFault = onFault;
  }

  /** Cancels pending timers. */
  stop(): void {
    this.#stopped = true;
  }

  async transfer({ currency, recipient, cents }: Transfer): Promise<Call> {
    await this.#keepStocked(currency, cents);
    return this.#callTo(this.#mintOf(currency), recipient, this.#baseUnits(currency, cents));
  }

  async counterfeit({ currency, recipient, cents }: Transfer): Promise<Call> {
    const mint = this.#node.mints.counterfeits[currency];
    if (!mint) throw new PaymentRefused(`there is no counterfeit of ${currency} on solana`);
    const amount = this.#baseUnits(currency, cents);
    await this.#node.bank.mint({ to: this.#wallet.address, mint, amount });
    return this.#callTo(mint, recipient, amount);
  }

  async impossible({ currency, recipient }: Transfer): Promise<Call> {
    return this.#callTo(this.#mintOf(currency), recipient, IMPOSSIBLE_AMOUNT);
  }

  async batch(currency: string, shares: readonly Share[]): Promise<Call> {
    await this.#keepStocked(
      currency,
      shares.reduce((sum, { cents }) => sum + cents, 0n),
    );
    const calls: Instruction[] = [];
    for (const { recipient, cents } of shares) {
      calls.push(...(await this.#callTo(this.#mintOf(currency), recipient, this.#baseUnits(currency, cents))));
    }
    return calls;
  }

  newAddress(): string {
    return base58.encode(randomBytes(32));
  }

  /** A new wallet whose account for the token its issuer has frozen. */
  async blockedAddress(currency: string): Promise<string> {
    const { bank } = this.#node;
    const [owner, mint] = [(await bank.newHolder()).address, this.#mintOf(currency)];
    await bank.mint({ to: owner, mint, amount: 1n });
    await this.#freeze(owner, mint, true);
    return owner;
  }

  /** Whether the token's issuer has frozen a wallet's account for it, which is opened first if needed. Frozen, it takes no payment. */
  async setBlocked({ currency, address }: { currency: string; address: string }, isBlocked: boolean): Promise<void> {
    if (!isAddress(address)) throw new PaymentRefused('this is not an address of this network');
    const { bank, ledger } = this.#node;
    const mint = this.#mintOf(currency);
    const account = ledger.accounts.now(await bank.associatedAccount(address, mint));
    if (account === null) await bank.mint({ to: address, mint, amount: 0n });
    await this.#freeze(address, mint, isBlocked);
  }

  async #freeze(owner: Address, mint: Address, isFrozen: boolean): Promise<void> {
    if (this.isHalted) throw new PaymentRefused(HALTED);
    const { bank, tick } = this.#node;
    const given = { account: await bank.associatedAccount(owner, mint), mint, owner: bank.issuer };
    const instruction = isFrozen ? getFreezeAccountInstruction(given) : getThawAccountInstruction(given);
    await bank.send(bank.issuer, [instruction]);
    tick();
  }

  async send(calls: readonly Call[]): Promise<Sent[]> {
    if (this.isHalted) throw new PaymentRefused(HALTED);
    const sent: Sent[] = [];
    for (const call of calls) sent.push(sentOf(await this.#node.bank.send(this.#wallet, call)));
    this.#node.tick();
    return sent;
  }

  /** Other transactions sent in the meantime are kept, unless they depend on this one. */
  async sendAndTakeBack(call: Call, visibleMs: number): Promise<Sent> {
    if (this.isHalted) throw new PaymentRefused(HALTED);
    const landed = await this.#node.bank.send(this.#wallet, call);
    const release = this.#node.ledger.blocks.hold(landed.slot);
    this.#node.tick();
    void this.#takeBack(landed.signature, visibleMs)
      .finally(release)
      .catch((error: Error) => this.#stopped || this.#onFault(error));
    return sentOf(landed);
  }

  async #takeBack(signature: string, visibleMs: number): Promise<void> {
    await sleep(visibleMs, undefined, { ref: false });
    const { ledger } = this.#node;
    // Another reorg may have removed it already, or moved it to a later block.
    const landed = ledger.find(signature);
    if (this.#stopped || !landed) return;
    ledger.dropFork(ledger.blocks.depthOf(landed.slot), (one) => one !== signature);
  }

  /** Mints more tokens for the payer whenever a payment would bring it below its reserve, so that it can pay any price. */
  async #keepStocked(currency: string, cents: bigint): Promise<void> {
    const mint = this.#mintOf(currency);
    const held = this.#node.bank.balanceOf(this.#wallet.address, mint);
    if (held >= this.#baseUnits(currency, cents + RESERVE_CENTS)) return;
    const amount = this.#baseUnits(currency, cents + GRANT_CENTS);
    await this.#node.bank.mint({ to: this.#wallet.address, mint, amount });
  }

  #callTo(mint: Address, recipient: string, amount: bigint): Promise<Call> {
    if (!isAddress(recipient)) throw new PaymentRefused('the recipient is not an address of this network');
    return this.#node.bank.transferInstructions({ from: this.#wallet, to: recipient, mint, amount });
  }

  #mintOf = (currency: string): Address => tokenFor(this.spec, currency).contract as Address;

  #baseUnits = (currency: string, cents: bigint): bigint =>
    centsToBaseUnits(cents, tokenFor(this.spec, currency).decimals);
}

const sentOf = ({ signature, execution }: Landed): Sent => ({ hash: signature, succeeded: execution.error === null });
