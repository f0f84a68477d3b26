// The worker's client for the signer. Every call opens its own connection, so the next call finds a restarted signer
// and no call can affect another. Responses are validated before use.

import { randomUUID } from 'node:crypto';
import type { Outcome } from '@/lib/signer/attestations/refund-evidence';
import { AddressSourceError, type AddressBatch, type AddressSource } from '@/lib/treasury/wallets/address-source';
import { certificateEnd, readEndpoint, type SignerEndpoint } from './transport/endpoint';
import { exchange, parseJson, unavailable } from './transport/exchange';
import { journalResult, MAX_INTENTS, type JournalIntent, type JournalPage } from './journal/page';
import {
  lastAllowance,
  signed,
  type AllowParams,
  type BatchParams,
  type LastAllowance,
  type RefundOrder,
  type Signed,
  type SignParams,
} from './orders';
import { z } from 'zod';
import {
  addressesResult,
  answer,
  attemptsResult,
  fingerprintResult,
  freezeResult,
  ownsResult,
  REFUSAL_CODES,
  releaseResult,
  stateResult,
  type KnownAttempt,
  type RefusalCode,
  type SignerState,
} from './protocol';
import { Refusal } from './refusal';
import { instruments } from '@/lib/platform/metrics/instruments';
import { ACTIVATION, LEAST_SHARE, SUN_PER_BYTE, sweepFees } from './sweeps/fees';
import {
  MAX_AUTHORIZATION_NONCE,
  MAX_GAS_EACH,
  authorizeResult,
  signedSweep,
  signedSweepsResult,
  type Authorization,
  type AuthorizeParams,
  type EvmSweepOrder,
  type SignedSweep,
  type SweepParams,
} from './sweeps/orders';
import type { SolanaSweepOrder } from './sweeps/solana/orders';
import type { TronSweepOrder } from './sweeps/tron/orders';

// Other folders import only this file of the signer, so it re-exports what they need to talk to it.
export {
  ACTIVATION,
  certificateEnd,
  LEAST_SHARE,
  MAX_AUTHORIZATION_NONCE,
  MAX_GAS_EACH,
  Refusal,
  SUN_PER_BYTE,
  sweepFees,
};
export type {
  AllowParams,
  BatchParams,
  JournalIntent,
  JournalPage,
  LastAllowance,
  KnownAttempt,
  RefundOrder,
  RefusalCode,
  Signed,
  SignerState,
  SignParams,
};
export type { Authorization, EvmSweepOrder, SignedSweep, SolanaSweepOrder, SweepParams, TronSweepOrder };

/** Deriving two hundred addresses takes a third of a second on a slow machine. */
const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Throws AddressSourceError: `unavailable` (retryable), `refused` or `contradiction`. `sign`, `signBatch`, `allow`, `release`, `freeze`,
 * `authorize` and `sweep` also throw a Refusal with the code of the reason.
 */
export class SignerClient implements AddressSource {
  readonly #endpoint: SignerEndpoint;
  readonly #timeout: number;

  /** `address`: SIGNER_SOCKET. `timeout` in milliseconds bounds a whole call. Throws an Error for an invalid address. */
  constructor(address: string, timeout: number = TIMEOUT_MILLISECONDS) {
    try {
      this.#endpoint = readEndpoint(address);
    } catch (error) {
      throw new Error(`SIGNER_SOCKET ${(error as Error).message}`, { cause: error });
    }
    this.#timeout = timeout;
  }

  async fingerprint(): Promise<string> {
    return (await this.#call('fingerprint', {}, fingerprintResult)).fingerprint;
  }

  async capacity(): Promise<number> {
    return (await this.#call('fingerprint', {}, fingerprintResult)).capacity;
  }

  async highestIndex(): Promise<number> {
    return (await this.#call('fingerprint', {}, fingerprintResult)).highest;
  }

  async addresses(from: number, count: number): Promise<AddressBatch> {
    try {
      return await this.#call('addresses', { from, count }, addressesResult);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new AddressSourceError(
        error.code === 'used' ? 'used' : 'refused',
        `The signer gives no addresses: ${error.message}.`,
      );
    }
  }

  async owns(index: number, addresses: readonly string[]): Promise<boolean> {
    return (await this.#call('owns', { index, addresses }, ownsResult)).owns;
  }

  /**
   * Signs an order's transfer, drafted by lib/networks. The same order with the same draft always returns the same
   * bytes. Another draft is signed only when the previous one can never land (`lapsed` proves it) or, on EVM, as its
   * replacement.
   */
  async sign(params: SignParams): Promise<Signed> {
    return this.#call('sign', params, signed);
  }

  /** Signs one transaction that pays several payouts, or nothing. The same parameters always return the same bytes. */
  async signBatch(params: BatchParams): Promise<Signed> {
    return this.#call('sign-batch', params, signed);
  }

  /** Builds and signs the transaction that sets the allowance of the contract of batches. The same parameters give the same bytes. */
  async allow(params: AllowParams): Promise<Signed> {
    return this.#call('allow', params, signed);
  }

  /** The last transaction of a network that changed an allowance; null for none. */
  async lastAllowance(of: Pick<AllowParams, 'environment' | 'network'>): Promise<LastAllowance | null> {
    return (await this.#call('allowance', of, z.strictObject({ last: lastAllowance.nullable() }))).last;
  }

  /** The delegation of the deposit address of an index to the signer's delegate, and the address. */
  async authorize(
    params: AuthorizeParams,
  ): Promise<{ readonly deposit: string; readonly authorization: Authorization }> {
    return this.#call('authorize', params, authorizeResult);
  }

  /** Builds and signs the transaction of a sweep. The same parameters give the same transaction; an HSM signs it differently each time. */
  async sweep(params: SweepParams): Promise<SignedSweep> {
    return this.#call('sweep', params, signedSweep);
  }

  /** Those of these transactions that the signer signed for sweeps lately. A signer of an older version refuses the call. */
  async signedSweeps(hashes: readonly string[]): Promise<readonly string[]> {
    return (await this.#call('signed-sweeps', { hashes }, signedSweepsResult)).signed;
  }

  /** The signed attempts of an intent, oldest first; empty for an intent that the signer does not know. */
  async attempts(intentId: string): Promise<readonly KnownAttempt[]> {
    return (await this.#call('attempts', { intentId }, attemptsResult)).attempts;
  }

  /**
   * Releases an intent whose attempts moved nothing and never will. Idempotent. The signer signs no further draft of a
   * released intent.
   */
  async release(outcome: Outcome): Promise<void> {
    await this.#call('release', { outcome }, releaseResult);
  }

  /** Stops all signing. `reason` is a line of plain text for the operator. No call on the socket undoes it. */
  async freeze(reason: string): Promise<void> {
    await this.#call('freeze', { reason }, freezeResult);
  }

  /**
   * Refund addresses by environment, whether the signer is frozen and why, the journal's head and counts, and the next
   * nonces.
   */
  async state(): Promise<SignerState> {
    return this.#call('state', {}, stateResult);
  }

  /**
   * The intents of the records after the first `after` ones of the journal, a page of at most `limit` (50). The next page starts at `next`,
   * after the first `skip` intents of that record. Works while the signer is frozen, because a page holds drafts and hashes but no signed
   * bytes.
   */
  async journal(after: number, limit = MAX_INTENTS, skip = 0): Promise<JournalPage> {
    return this.#call('journal', { after, limit, ...(skip > 0 ? { skip } : {}) }, journalResult);
  }

  /** One call, timed for the metrics. A refusal is an answer; everything else that throws is a failure. */
  async #call<T>(call: string, params: object, result: z.ZodType<T>): Promise<T> {
    const ended = instruments().signerSeconds.startTimer({ call });
    try {
      const value = await this.#exchange(call, params, result);
      ended({ outcome: 'ok' });
      return value;
    } catch (error) {
      ended({ outcome: error instanceof Refusal ? 'refused' : 'failed' });
      throw error;
    }
  }

  async #exchange<T>(call: string, params: object, result: z.ZodType<T>): Promise<T> {
    const id = randomUUID();
    const line = await exchange(this.#endpoint, this.#timeout, `${JSON.stringify({ id, call, params })}\n`);
    const read = answer.safeParse(parseJson(line));
    if (!read.success) throw new AddressSourceError('contradiction', 'The signer sent an unreadable response.');
    if ('error' in read.data) {
      const { code, message } = read.data.error;
      if (isRefusalCode(code)) throw new Refusal(code, message);
      if (code === 'unavailable') throw unavailable(`signs nothing now. ${message.replace(/\.$/, '')}`);
      throw new AddressSourceError('refused', `The signer refused "${call}": ${message}.`);
    }
    const value = result.safeParse(read.data.result);
    if (read.data.id !== id || !value.success) {
      throw new AddressSourceError('contradiction', `The signer's response to "${call}" does not match the request.`);
    }
    return value.data;
  }
}

const isRefusalCode = (code: string): code is RefusalCode => (REFUSAL_CODES as readonly string[]).includes(code);
