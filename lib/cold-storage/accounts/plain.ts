// A plain account in cold storage: one key, whose signature is all that a transfer needs. Its bytes are read by the strict readers that the
// signer has too, which share no code with the libraries that wrote them. Pure.

import { ed25519 } from '@noble/curves/ed25519.js';
import { DRAFT_FAMILIES, type Signing } from '@/lib/networks/families/drafts';
import { keyBytes } from '@/lib/networks/families/solana/address';
import { networkFee, readLastingTransfer, signedLasting } from '@/lib/networks/families/solana/sending/read-draft';
import type { NetworkSpec } from '@/lib/networks/networks';
import { BadDraft, type EvmDraft, type TronDraft } from '@/lib/networks/sending/send';
import { NOT_IN_BYTES, type ColdAccount, type Facts, type Unsigned } from './item';
import { recoveredAddress } from './recover';

export function plainAccount(spec: NetworkSpec, address: string): ColdAccount {
  return {
    signers: new Map([[address, 1]]),
    threshold: 1,
    signerName: 'the cold wallet',
    read: (item) => READERS[spec.family](item),
    payload: (item) => signingOf(spec, item).payload,
    isSignedBy: (item, signer, signature) => isSignedBy(spec, item, { signer, signature }),
    completion: {
      kind: 'signatures',
      finish: (item, signatures) => signingOf(spec, item).finish(signatures.get(address) ?? new Uint8Array()),
    },
    shown: () => [],
    differences: () => [],
  };
}

/** The payload that is signed, and the transaction that a signature completes. Throws BadDraft. */
function signingOf({ family }: NetworkSpec, item: Unsigned): Signing {
  if (family === 'evm') return DRAFT_FAMILIES.evm.signing(evmDraft(item));
  if (family === 'tron') return DRAFT_FAMILIES.tron.signing(tronDraft(item));
  return signedLasting(item.unsigned);
}

function isSignedBy(
  spec: NetworkSpec,
  item: Unsigned,
  { signer, signature }: { readonly signer: string; readonly signature: Uint8Array },
): boolean {
  const { payload } = signingOf(spec, item);
  if (spec.family === 'solana') return isSignedOnSolana(payload, signer, signature);
  return recoveredAddress(spec.family, payload, signature) === signer;
}

/** Whether the signature is one of this address over the message. */
export function isSignedOnSolana(message: Uint8Array, signer: string, signature: Uint8Array): boolean {
  const key = keyBytes(signer);
  return key !== null && signature.length === 64 && ed25519.verify(signature, message, key, { zip215: false });
}

/** Solana's limit for a transaction. */
export const MAX_COMPUTE_UNITS = 1_400_000;

const evmDraft = ({ unsigned, intent, from }: Unsigned): EvmDraft => ({
  ...{ family: 'evm', intentId: intent, from, unsigned },
});
const tronDraft = ({ unsigned, intent, from }: Unsigned): TronDraft => ({
  ...{ family: 'tron', intentId: intent, from, unsigned },
});

const READERS: Readonly<Record<NetworkSpec['family'], (item: Unsigned) => Facts>> = {
  evm(item) {
    const { validity: valid, ...facts } = DRAFT_FAMILIES.evm.read(evmDraft(item));
    if (valid.kind !== 'nonce') throw new BadDraft('it has no nonce');
    return { ...NOT_IN_BYTES, ...facts, validity: { nonce: valid.nonce } };
  },
  tron(item) {
    const { validity: valid, ...facts } = DRAFT_FAMILIES.tron.read(tronDraft(item));
    if (valid.kind !== 'time') throw new BadDraft('it never expires');
    return { ...NOT_IN_BYTES, ...facts, validity: { until: valid.expiresAt } };
  },
  solana({ unsigned }) {
    const transfer = readLastingTransfer(unsigned);
    const { from, to, mint: contract, amount, decimals, memo, nonceAccount, blockhash } = transfer;
    if (transfer.unitLimit > MAX_COMPUTE_UNITS) throw new BadDraft('it may use more compute units than Solana allows');
    const feeCap = networkFee(transfer);
    const valid = { nonceAccount, nonceValue: blockhash };
    return { from, to, contract, amount, feeCap, decimals, chainId: null, intent: memo, validity: valid };
  },
};
