// A simulated EVM chain for tests of payouts: real drafts that the signer signs; the test says who cannot be paid, and what becomes of
// everything sent. With its own clock.

import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { SendHold, SendRefused, type AttemptOutcome, type ChainSender } from '@/lib/networks/sending/send';
import { localSpec } from '@/testing/signer/signer-scene';

const GWEI = 10n ** 9n;
const FEES = { maxPriorityFeePerGas: GWEI, maxFeePerGas: 2n * GWEI, gasLimit: 90_000n };
const evm = localSpec('ethereum');
const nothing = async (): Promise<void> => {};
const atStart = () => ({
  outcome: 'waiting' as 'waiting' | 'landed' | 'reverted',
  /** Addresses that the issuer has blocked. */
  refused: new Set<string>(),
  isEmpty: false,
  /** What a transaction costs, in wei; undefined when the endpoints do not say. */
  fee: 21n as bigint | undefined,
  /** Runs before a payment is drafted. */
  beforeDraft: nothing,
});

export function openPayoutChain() {
  const time = { now: 0 };
  const chain = atStart();
  const cost = () => (chain.fee === undefined ? {} : { fee: chain.fee });
  const sender: ChainSender = {
    async draft({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) {
      await chain.beforeDraft();
      if (chain.refused.has(to))
        throw new SendRefused('recipient_blocked', 'the issuer of USDT has blocked the recipient');
      if (chain.isEmpty) throw new SendHold('no_tokens', 'The wallet has too little USDT.');
      return writeEvmDraft({ chainId: evm.chainId ?? 0, nonce, ...FEES, contract, to, amount }, { intentId, from });
    },
    nextNonce: async () => 0,
    finalNonce: async () => 0,
    broadcast: async () => 'accepted',
    async outcome({ hash }): Promise<AttemptOutcome> {
      if (chain.outcome === 'landed')
        return { kind: 'landed', hash, block: { number: 1, hash: '0xb', parentHash: '0xa', time: 1 }, ...cost() };
      if (chain.outcome === 'reverted') return { kind: 'reverted', hash, reason: 'it ran out of gas', ...cost() };
      return { kind: 'waiting' };
    },
    kindOf: async () => 'wallet',
  };
  return {
    ...{ time, chain, sender, spec: evm },
    clock: { now: () => new Date(time.now) },
    /** Before each test. */
    restart(): void {
      time.now = Date.parse('2026-11-28T12:00:00Z');
      Object.assign(chain, atStart());
    },
  };
}
