// Drives one local chain: sending, mining and reorganising run strictly one after the other. So account nonces stay in order and
// a reorg never removes an unrelated transaction. The chain uses the machine's time.

import { setTimeout as sleep } from 'node:timers/promises';
import { toQuantity, Wallet, type TransactionLike } from 'ethers';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import { PaymentRefused } from '../payment';
import { startTicker, WorkQueue, type Ticker } from '../work-queue';
import type { Rpc } from './rpc';

export type Account = Wallet;
export type Call = {
  readonly from: Account;
  readonly to: string | null;
  readonly data: string;
  readonly gasLimit: bigint;
};
export type Receipt = {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly succeeded: boolean;
  readonly contractAddress: string | null;
};
export type Fees = Pick<TransactionLike, 'type' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** More blocks in one call made a node use gigabytes of memory. */
const MINED_AT_ONCE = 100;
const RECEIPT_LIMIT_MS = 10_000;
const RECEIPT_POLL_MS = 5;

type RpcReceipt = { transactionHash: string; blockNumber: string; status: string; contractAddress: string | null };

export class LocalChain {
  readonly #rpc: Rpc;
  readonly #chainId: number;
  readonly #fees: Fees;
  readonly #onFault: (error: Error) => void;
  readonly #turns = new WorkQueue();
  #beat: Ticker | null = null;
  #isHalted = false;
  #stopped = false;

  constructor(options: { rpc: Rpc; chainId: number; fees: Fees; onFault: (error: Error) => void }) {
    this.#rpc = options.rpc;
    this.#chainId = options.chainId;
    this.#fees = options.fees;
    this.#onFault = options.onFault;
  }

  /** Mines a block at an interval until `stop`. */
  beat(everyMs: number): void {
    const mine = async () => {
      if (!this.#isHalted) await this.mine(1);
    };
    this.#beat = startTicker(everyMs, mine, this.#onFault);
  }

  /** While it is halted the node makes no blocks by itself. Afterwards it includes what waits. */
  halt(isHalted: boolean): Promise<void> {
    return this.#turns.take(async () => {
      await this.#rpc('evm_setAutomine', !isHalted);
      this.#isHalted = isHalted;
      if (!isHalted) await this.#rpc('anvil_mine', toQuantity(1));
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#beat?.stop();
  }

  /** Sends the transactions one after the other with nothing between them; resolves when all are mined. Throws while it is halted. */
  send(calls: readonly Call[]): Promise<Receipt[]> {
    return this.#turns.take(async () => {
      const receipts: Receipt[] = [];
      for (const call of calls) receipts.push(await this.#sendOne(call));
      return receipts;
    });
  }

  /** Mines blocks and returns the new height. */
  mine(blocks: number): Promise<number> {
    return this.#turns.take(async () => {
      for (let left = blocks; left > 0; left -= MINED_AT_ONCE) {
        await this.#rpc('anvil_mine', toQuantity(Math.min(left, MINED_AT_ONCE)));
      }
      return this.#height();
    });
  }

  /** Replaces the last `depth` blocks with empty ones, without any of their transactions. Throws when there are too few blocks. */
  reorganise(depth: number): Promise<void> {
    return this.#turns.take(() => this.#replace(depth, []));
  }

  /**
   * Sends a transaction that is mined, stays in the newest block for a while, and is then removed permanently. Resolves when it is mined.
   * No block follows it meanwhile, so it never becomes final; other transactions sent in the meantime are kept.
   */
  async sendAndTakeBack(call: Call, visibleMs: number): Promise<Receipt> {
    const mined = this.#turns.take(() => this.#sendOne(call));
    const takenBack = this.#turns.take(async () => {
      const receipt = await mined.catch(() => null);
      if (!receipt) return;
      await sleep(visibleMs, undefined, { ref: false });
      await this.#takeBack(receipt);
    });
    void takenBack.catch((error: Error) => this.#stopped || this.#onFault(error));
    return mined;
  }

  /** The result of a read-only call at the newest block. */
  read(to: string, data: string): Promise<string> {
    return this.#rpc('eth_call', { to, data }, 'latest');
  }

  async #sendOne({ from, to, data, gasLimit }: Call): Promise<Receipt> {
    if (this.#isHalted) throw new PaymentRefused('this chain makes no blocks now');
    // Read each time, because a reorg releases nonces.
    const nonce = Number(await this.#rpc('eth_getTransactionCount', from.address, 'latest'));
    const signed = await from.signTransaction({ ...this.#fees, chainId: this.#chainId, nonce, to, data, gasLimit });
    const hash = await this.#rpc('eth_sendRawTransaction', signed);
    for (let waited = 0; waited < RECEIPT_LIMIT_MS; waited += RECEIPT_POLL_MS) {
      const receipt = await this.#rpc<RpcReceipt | null>('eth_getTransactionReceipt', hash);
      if (receipt) return receiptOf(receipt);
      await sleep(RECEIPT_POLL_MS);
    }
    throw new Error(`transaction ${hash} was not mined within ${RECEIPT_LIMIT_MS} ms`);
  }

  async #takeBack({ transactionHash, blockNumber }: Receipt): Promise<void> {
    const height = await this.#height();
    const kept: [string, number][] = [];
    for (let number = blockNumber; number <= height; number++) {
      const block = await this.#rpc<{ transactions: string[] }>('eth_getBlockByNumber', toQuantity(number), false);
      for (const hash of block.transactions) {
        if (hash === transactionHash) continue;
        kept.push([await this.#rpc('eth_getRawTransactionByHash', hash), number - blockNumber]);
      }
    }
    await this.#replace(height - blockNumber + 1, kept);
  }

  /** `kept` are raw transactions with their place among the new blocks. */
  async #replace(depth: number, kept: readonly [string, number][]): Promise<void> {
    // Empty blocks of the same second would get the same hash again. Another block producer makes them differ.
    await this.#rpc('anvil_setCoinbase', Wallet.createRandom().address);
    await this.#rpc('anvil_reorg', depth, kept);
    // The node's clock goes back with its blocks. Sessions expire by chain time, so the clock is set to now again.
    await this.#rpc('evm_setTime', unixSeconds(systemClock.now()));
  }

  async #height(): Promise<number> {
    return Number(await this.#rpc('eth_blockNumber'));
  }
}

const receiptOf = ({ transactionHash, blockNumber, status, contractAddress }: RpcReceipt): Receipt => ({
  transactionHash,
  blockNumber: Number(blockNumber),
  succeeded: status === '0x1',
  contractAddress,
});
