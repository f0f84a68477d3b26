// The virtual machine: litesvm with the real programs (SPL Token, Token-2022, associated accounts, memo, lookup tables). It
// stores accounts and executes; the ledger handles slots, used signatures and blockhashes.

import { lamports, type Address, type EncodedAccount } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM, Rent, type TransactionMetadata } from 'litesvm';
import type { AccountState } from './account-history';
import type { Block } from './blocks';
import { errorOf, SIGNATURE_FAILURE, type TransactionError } from './transaction-error';
import type { Instruction } from './message';
import type { WireTransaction } from './wire';

/** An instruction that a program caused; `stackHeight` 2 is the first level below the transaction. */
type InnerInstruction = Instruction & { readonly stackHeight: number };
export type Execution = {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly computeUnits: number;
  /** By the top-level instruction that caused them. */
  readonly inner: readonly { readonly index: number; readonly instructions: readonly InnerInstruction[] }[];
  readonly returned: { readonly program: Uint8Array; readonly data: Uint8Array } | null;
};
export type Simulation = Execution & { readonly after: readonly EncodedAccount[] };

export const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;

/** Lamports for each byte of an account and of the 128 bytes that every account counts more: those of the main network since SIMD-0437. */
const LAMPORTS_PER_BYTE = 5080n;
/** Since SIMD-0194 an account is exempt with exactly that, not with twice as much; no rent is burned. */
const [EXEMPTION_THRESHOLD, BURN_PERCENT] = [1, 0];

/** litesvm removes an empty account. */
const NOTHING = {
  lamports: lamports(0n),
  data: new Uint8Array(),
  programAddress: SYSTEM_PROGRAM,
  executable: false,
  space: 0n,
} as const;

export class Vm {
  readonly #svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n).withNativeMints();
  #slot = 0;

  constructor() {
    this.#svm.setRent(new Rent(LAMPORTS_PER_BYTE, EXEMPTION_THRESHOLD, BURN_PERCENT));
  }

  /** The slot that the machine's features belong to, where a chain on it begins. */
  get firstSlot(): number {
    return Number(this.#svm.getClock().slot);
  }

  rent(size: bigint): bigint {
    return this.#svm.minimumBalanceForRentExemption(size);
  }

  account(address: Address): AccountState {
    const found = this.#svm.getAccount(address);
    return found.exists && (found.lamports > 0n || found.data.length > 0) ? found : null;
  }

  accountsOf(program: Address): EncodedAccount[] {
    return this.#svm.getProgramAccounts(program);
  }

  /** Places an account as it is, or removes it. */
  put(address: Address, state: AccountState): void {
    this.#svm.setAccount(state ?? { ...NOTHING, address });
  }

  /** Shows programs the block that is being filled. `recent` are those before it, newest first. */
  enter(block: Block, recent: () => readonly Block[]): void {
    if (block.slot === this.#slot) return;
    this.#slot = block.slot;
    const clock = this.#svm.getClock();
    clock.slot = BigInt(block.slot);
    clock.unixTimestamp = BigInt(block.time);
    this.#svm.setClock(clock);
    this.#svm.setSlotHashes(recent().map(({ slot, blockhash }) => ({ slot: BigInt(slot), hash: blockhash })));
    // Durable nonces derive from the machine's own blockhash. Without a new one a nonce could advance only once.
    this.#svm.expireBlockhash();
  }

  /** Executes and keeps the result. A transaction without all signatures fails with SignatureFailure. */
  execute(wire: WireTransaction): Execution {
    if (Object.values(wire.transaction.signatures).includes(null)) return unsigned;
    const result = this.#svm.sendTransaction(wire.transaction);
    return result instanceof FailedTransactionMetadata
      ? executionOf(result.meta(), errorOf(result))
      : executionOf(result, null);
  }

  /** Executes without changing state. Missing signatures matter only when they are to be verified. */
  simulate(wire: WireTransaction, verify: boolean): Simulation {
    const missing = Object.values(wire.transaction.signatures).includes(null);
    if (verify && missing) return { ...unsigned, after: [] };
    this.#svm.withSigverify(verify);
    try {
      const result = this.#svm.simulateTransaction(missing ? filledIn(wire.transaction) : wire.transaction);
      return result instanceof FailedTransactionMetadata
        ? { ...executionOf(result.meta(), errorOf(result)), after: [] }
        : { ...executionOf(result.meta(), null), after: result.postAccounts() };
    } finally {
      this.#svm.withSigverify(true);
    }
  }
}

const unsigned: Execution = { error: SIGNATURE_FAILURE, logs: [], computeUnits: 0, inner: [], returned: null };

function executionOf(meta: TransactionMetadata, error: TransactionError | null): Execution {
  const returned = meta.returnData();
  return {
    error,
    logs: meta.logs(),
    computeUnits: Number(meta.computeUnitsConsumed()),
    inner: meta
      .innerInstructions()
      .map((instructions, index) => ({ index, instructions: instructions.map(plain) }))
      .filter(({ instructions }) => instructions.length > 0),
    returned: returned.data().length > 0 ? { program: returned.programId(), data: returned.data() } : null,
  };
}

function plain(inner: ReturnType<TransactionMetadata['innerInstructions']>[number][number]): InnerInstruction {
  const instruction = inner.instruction();
  return {
    program: instruction.programIdIndex(),
    accounts: [...instruction.accounts()],
    data: instruction.data(),
    stackHeight: inner.stackHeight(),
  };
}

function filledIn(transaction: WireTransaction['transaction']): WireTransaction['transaction'] {
  const signatures = Object.entries(transaction.signatures).map(([address, one]) => [
    address,
    one ?? new Uint8Array(64),
  ]);
  return { ...transaction, signatures: Object.fromEntries(signatures) as typeof transaction.signatures };
}
