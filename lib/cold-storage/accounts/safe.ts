// A Safe as the cold wallet of an EVM network. Its owners sign the safeTxHash of one token transfer; an executor signs the transaction that
// carries their signatures to the Safe and pays its fee. Whoever executes it, the Safe's nonce lets it happen once. Pure.

import { z } from 'zod';
import type { NetworkSpec } from '@/lib/networks/networks';
import { SAFE_VERSIONS } from '@/lib/networks/sending/safe';
import { BadDraft } from '@/lib/networks/sending/send';
import { checksumAddress } from '@/lib/treasury/wallets/derivation';
import {
  digits,
  NOT_IN_BYTES,
  type ColdAccount,
  type Completion,
  type Item,
  type Signatures,
  type Unsigned,
} from './item';
import { recoveredAddress } from './recover';
import { executingTransaction, readSafeTransfer, safeTxHash, type Execution } from './safe-transaction';

const MAX_OWNERS = 50;

const address = z.string().regex(/^0x[0-9a-f]{40}$/);

export const safeShape = z.strictObject({
  kind: z.literal('safe'),
  version: z.enum(SAFE_VERSIONS),
  threshold: z.number().int().positive().max(MAX_OWNERS),
  owners: z.array(address).min(1).max(MAX_OWNERS),
  /** Null: the owners sign and execute it in the Safe web app. */
  execution: z
    .strictObject({
      executor: address,
      nonce: z.number().int().nonnegative(),
      maxFeePerGas: digits,
      maxPriorityFeePerGas: digits,
      gasLimit: digits,
    })
    .nullable(),
});
export type SafeTerms = z.output<typeof safeShape>;

export function safeAccount({ family, chainId, network }: NetworkSpec, safe: string, terms: SafeTerms): ColdAccount {
  if (family !== 'evm' || chainId === null) throw new BadDraft(`${network} has no Safe`);
  const domain = { chainId, safe };
  const payload = ({ unsigned }: Unsigned): Uint8Array => safeTxHash(readSafeTransfer(unsigned), domain);
  const execution = executionOf(terms);
  return {
    signers: new Map(terms.owners.map((owner) => [owner, 1])),
    threshold: terms.threshold,
    signerName: 'an owner of the Safe',
    read({ unsigned, from }) {
      const { nonce, ...moved } = readSafeTransfer(unsigned);
      const feeCap = execution ? execution.gasLimit * execution.maxFeePerGas : 0n;
      return { ...NOT_IN_BYTES, ...moved, from, feeCap, validity: { nonce } };
    },
    payload,
    isSignedBy: (item, signer, signature) => recoveredAddress('evm', payload(item), signature) === signer,
    completion: execution ? executed(domain, execution, terms) : { kind: 'elsewhere' },
    shown: (item) => shownSafe(terms, payload(item)),
    differences: (items) => differencesOf(terms, items),
  };
}

function executed(
  domain: { readonly chainId: number; readonly safe: string },
  execution: Execution,
  { threshold }: SafeTerms,
): Completion {
  const transaction = ({ unsigned }: Unsigned, signatures: Signatures) =>
    executingTransaction(readSafeTransfer(unsigned), domain, {
      execution,
      signatures: inOrder(signatures, threshold),
    });
  return {
    kind: 'executor',
    executor: execution.executor,
    payload: (item, signatures) => transaction(item, signatures).payload,
    finish(item, signatures, signature) {
      const { payload, finish } = transaction(item, signatures);
      if (recoveredAddress('evm', payload, signature) !== execution.executor)
        throw new BadDraft(`its signature is not one of the executor ${execution.executor} over these signatures`);
      return finish(signature);
    },
  };
}

/** The Safe reads as many signatures as its threshold, in ascending order of their owners, with v 27 or 28. */
const inOrder = (signatures: Signatures, threshold: number): Uint8Array[] =>
  [...signatures]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, threshold)
    .map(([, signature]) => Uint8Array.of(...signature.subarray(0, 64), (signature[64] ?? 0) + 27));

const executionOf = ({ execution }: SafeTerms): Execution | null =>
  execution && {
    executor: execution.executor,
    nonce: execution.nonce,
    maxFeePerGas: BigInt(execution.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(execution.maxPriorityFeePerGas),
    gasLimit: BigInt(execution.gasLimit),
  };

function shownSafe({ version, threshold, owners, execution }: SafeTerms, hash: Uint8Array): [string, string][] {
  const hex = Buffer.from(hash).toString('hex');
  return [
    ['safe', `version ${version}, ${threshold} of ${owners.length} owners sign`],
    ...owners.map((owner): [string, string] => ['owner', checksumAddress(owner)]),
    ['hash', `safeTxHash 0x${hex}`],
    ...(execution
      ? [['executor', `${checksumAddress(execution.executor)}, account nonce ${execution.nonce}`] as [string, string]]
      : []),
  ];
}

function differencesOf({ threshold, owners, execution }: SafeTerms, items: readonly Item[]): string[] {
  const isTipAbove = execution && BigInt(execution.maxPriorityFeePerGas) > BigInt(execution.maxFeePerGas);
  return [
    // Several would need consecutive nonces, and a newer request could then not exclude all of an older one.
    ...(items.length === 1 ? [] : ['items: a request to a Safe has one transfer']),
    ...(new Set(owners).size === owners.length ? [] : ['account: an owner is named twice']),
    ...(threshold <= owners.length ? [] : ['account: fewer owners are named than must sign']),
    ...(isTipAbove ? ['account: the tip is above the price'] : []),
  ];
}
