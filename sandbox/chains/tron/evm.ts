// The virtual machine of the local TRON chain: a real EVM with TRON's energy costs. A run works on the current state and keeps
// all of its changes or none.

import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, paramsEVM, type EVM, type Message as Frame } from '@ethereumjs/evm';
import { createAddressFromString, type Address } from '@ethereumjs/util';
import { concat, keccak256 } from 'ethers';
import { fromEvm, toEvm } from './address';
import type { Outcome } from './messages';
import type { TronState } from './state';

/**
 * TRON has no cold access and no net metering: reading a slot costs 50, writing 20,000 or 5,000. With this, a USDT transfer costs
 * about as much as on the real network before the penalty.
 */
const ENERGY_COSTS = {
  ...paramsEVM,
  1679: { ...paramsEVM[1679], sstoreSentryEIP2200Gas: 0 },
  2929: {
    ...paramsEVM[2929],
    coldsloadGas: 50,
    warmstoragereadGas: 50,
    coldaccountaccessGas: 40,
    sstoreCleanEIP2200Gas: 5000,
    sstoreNoopEIP2200Gas: 5000,
    sstoreDirtyEIP2200Gas: 5000,
  },
};
/** For each byte of a new contract. */
const CODE_BYTE_ENERGY = 200n;

export type BlockContext = { readonly number: number; readonly time: number; readonly witness: string };
export type Run = {
  readonly from: string;
  readonly to: string;
  readonly data: Uint8Array;
  /** Sun sent with the call. */
  readonly value: bigint;
  readonly energyLimit: bigint;
};
/** A log as in receipts: the address as 20 bytes, everything hex without 0x. */
export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data?: string };
export type Ran = {
  readonly outcome: Outcome;
  /** With the penalty. */
  readonly energy: number;
  readonly penalty: number;
  readonly returned: Buffer;
  readonly logs: readonly Log[];
};

/**
 * The dynamic energy penalty of much used contracts, in parts of ten thousand of the energy that their code uses in every call. Each
 * contract's own energy counts, without that of the contracts that it calls (VM.java of java-tron).
 */
export type Penalties = ReadonlyMap<string, number>;
const PARTS = 10_000n;

export class Machine {
  readonly #evm: EVM;
  readonly #state: TronState;
  readonly #penalties: Penalties;
  /** Of the run that goes on now. */
  #penalty = 0n;
  /** Energy of the frames that each open frame has called. */
  readonly #called: bigint[] = [];

  private constructor(evm: EVM, state: TronState, penalties: Penalties) {
    this.#evm = evm;
    this.#state = state;
    this.#penalties = penalties;
    const run = evm.runCall.bind(evm);
    Object.assign(evm, {
      _generateAddress: addressRule(evm),
      runCall: (options: Parameters<typeof run>[0]) => this.#withPenalty(options, run),
    });
  }

  static async open(state: TronState, chainId: number, penalties: Penalties): Promise<Machine> {
    const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Cancun });
    return new Machine(await createEVM({ common, stateManager: state, params: ENERGY_COSTS }), state, penalties);
  }

  /** Runs a frame within the energy that leaves room for its penalty, and adds the penalty to what it used. */
  async #withPenalty(options: Parameters<EVM['runCall']>[0], run: EVM['runCall']): ReturnType<EVM['runCall']> {
    const { message } = options;
    const factor = BigInt(this.#penalties.get(fromEvm(String(message?.to ?? options.to))) ?? 0);
    // The most energy that stays within the limit together with its penalty, which is rounded down.
    const within = (limit: bigint): bigint => ((limit + 1n) * PARTS - 1n) / (PARTS + factor);
    if (message) message.gasLimit = within(message.gasLimit);
    this.#called.push(0n);
    const result = await run(message ? options : { ...options, gasLimit: within(options.gasLimit ?? 0n) });
    const below = this.#called.pop() ?? 0n;
    const penalty = ((result.execResult.executionGasUsed - below) * factor) / PARTS;
    result.execResult.executionGasUsed += penalty;
    this.#penalty += penalty;
    const caller = this.#called.length - 1;
    if (caller >= 0) this.#called[caller] = (this.#called[caller] ?? 0n) + result.execResult.executionGasUsed;
    return result;
  }

  /** Calls a contract, or sends TRX to an account without code. */
  call(run: Run, block: BlockContext): Promise<Ran> {
    return this.#run(run, block, undefined);
  }

  /** Runs a constructor at the contract's future address `to`; `data` is its code with its arguments. */
  async create(run: Run, block: BlockContext): Promise<Ran> {
    const mark = this.#state.journal.mark();
    const ran = await this.#run({ ...run, data: new Uint8Array(0) }, block, run.data);
    if (ran.outcome !== 'SUCCESS') return ran;
    const energy = BigInt(ran.energy) + CODE_BYTE_ENERGY * BigInt(ran.returned.length);
    if (energy > run.energyLimit) {
      this.#state.journal.rollBack(mark);
      const spent = { energy: Number(run.energyLimit), penalty: ran.penalty };
      return { outcome: 'OUT_OF_ENERGY', ...spent, returned: Buffer.alloc(0), logs: [] };
    }
    await this.#state.putCode(addressOf(run.to), ran.returned);
    return { ...ran, energy: Number(energy) };
  }

  async #run(run: Run, block: BlockContext, code: Uint8Array | undefined): Promise<Ran> {
    const { from, to, data, value, energyLimit } = run;
    this.#penalty = 0n;
    const { execResult } = await this.#evm.runCall({
      caller: addressOf(from),
      origin: addressOf(from),
      to: addressOf(to),
      data,
      value,
      gasLimit: energyLimit,
      skipNonceIncrement: true,
      ...(code ? { code } : {}),
      block: { header: headerOf(block) },
    });
    await this.#evm.journal.cleanup();
    // The original value of a slot is read for each transaction. With a longer cache, writes would be too cheap.
    this.#state.clearCaches();
    const { exceptionError, executionGasUsed, returnValue, logs } = execResult;
    return {
      outcome: outcomeOf(exceptionError?.error),
      energy: Number(executionGasUsed),
      penalty: Number(this.#penalty),
      returned: Buffer.from(returnValue),
      logs: (logs ?? []).map(([address, topics, content]) => ({
        address: hexOf(address),
        topics: topics.map(hexOf),
        ...(content.length > 0 ? { data: hexOf(content) } : {}),
      })),
    };
  }
}

/** TRON hashes the creator of a CREATE2 contract with its prefix 41, where EVM networks hash ff. */
function addressRule(evm: EVM): (frame: Frame) => Promise<Address> {
  const { _generateAddress: usual } = evm as unknown as { _generateAddress: (frame: Frame) => Promise<Address> };
  return async (frame) => {
    const { salt, code, caller } = frame;
    if (!salt) return usual.call(evm, frame);
    const hash = keccak256(concat(['0x41', caller.toString(), salt, keccak256(code as Uint8Array)]));
    return createAddressFromString(`0x${hash.slice(26)}`);
  };
}

function outcomeOf(error: string | undefined): Outcome {
  if (error === undefined) return 'SUCCESS';
  if (error === 'revert') return 'REVERT';
  return error === 'out of gas' ? 'OUT_OF_ENERGY' : 'UNKNOWN';
}

const addressOf = (address: string): Address => createAddressFromString(toEvm(address));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const headerOf = ({ number, time, witness }: BlockContext) => ({
  number: BigInt(number),
  timestamp: BigInt(Math.floor(time / 1000)),
  coinbase: addressOf(witness),
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  gasLimit: 10n ** 12n,
  baseFeePerGas: 0n,
  getBlobGasPrice: () => 1n,
  cliqueSigner: () => addressOf(witness),
});
