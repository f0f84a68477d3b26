// A sender on a simulated chain: real drafts that the signer signs; broadcasts succeed; the test sets the outcome.

import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender, AttemptOutcome } from '@/lib/networks/sending/send';
import type { RefundScene } from './refund-scene';

const GWEI = 10n ** 9n;
const block = { number: 1, hash: '0xb', parentHash: '0xa', time: 1 };

/** The outcome of a transaction in a final block. */
export const landed = (hash: string): AttemptOutcome => ({ kind: 'landed', hash, block });

type Played = {
  readonly spec: NetworkSpec;
  /** The signer whose count of transactions the chain reports. */
  readonly scene: () => RefundScene;
  readonly outcome?: (hash: string) => AttemptOutcome;
  readonly onDraft?: () => void;
};

export const scriptedSender = ({ spec, scene, outcome = landed, onDraft = () => {} }: Played): ChainSender => ({
  async draft({ intentId, contract, to, amount }, from, { nonce = 0, replaces } = {}) {
    const raise = replaces ? 2n : 1n;
    const prices = { maxPriorityFeePerGas: GWEI * raise, maxFeePerGas: 2n * GWEI * raise, gasLimit: 90_000n };
    onDraft();
    return writeEvmDraft({ chainId: spec.chainId ?? 0, nonce, ...prices, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => scene().signing.signer.state().nextNonces[`${spec.network}@local`] ?? 0,
  broadcast: async () => 'accepted',
  outcome: async ({ hash }) => outcome(hash),
  kindOf: async () => 'wallet',
});
