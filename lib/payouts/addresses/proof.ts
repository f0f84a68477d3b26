// The signature that proves that the store controls a payout address: the address's own wallet signs a text that names store, network and
// address. A contract has no key and cannot sign.

import { base58 } from '@scure/base';
import type { NetworkFamily } from '@/lib/networks/chain';
import { displayAddress } from '@/lib/networks/payment-uri';
import { isSignedMessage } from '@/lib/networks/recipients/signed-message';
import type { Context } from '@/lib/platform/context';

/** The signature that a wallet returned, and when the page showed the text that it signed. */
export type AddressProof = { readonly signature: Uint8Array; readonly requestedAt: Date };

type Named = {
  readonly storeId: string;
  readonly environment: string;
  readonly network: string;
  readonly family: NetworkFamily;
  /** In stored form. */
  readonly address: string;
};

/** Unlocking a wallet, or carrying the text to a hardware wallet, takes minutes. */
const LONGEST_MINUTES = 60;

/** The text that the wallet signs. Every line is ours or validated, so that input cannot add lines of its own. Pure. */
export function proofText(publicUrl: string, named: Named, requestedAt: Date): string {
  return [
    `${new URL(publicUrl).origin} asks where payouts of your store go.`,
    '',
    'Sign only if you are adding this payout address yourself. Signing is free and moves no money.',
    '',
    `Payout address: ${displayAddress(named.family, named.address)}`,
    `Network: ${named.network} (${named.environment})`,
    `Store: ${named.storeId}`,
    `Time: ${requestedAt.toISOString()}`,
  ].join('\n');
}

/** Whether the key of the address signed the text, and recently enough. */
export function isSignedByAddress(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  named: Named,
  { signature, requestedAt }: AddressProof,
): boolean {
  const milliseconds = clock.now().getTime() - requestedAt.getTime();
  if (!(milliseconds >= 0 && milliseconds <= LONGEST_MINUTES * 60_000)) return false;
  const message = proofText(config.PUBLIC_URL, named, requestedAt);
  return isSignedMessage(named.family, { signer: named.address, message, signature });
}

/** Reads a pasted signature: hexadecimal, as EVM and TRON wallets return it, or base58, as Solana wallets do. Null for other text. Pure. */
export function readProof(text: string, requestedAt: Date): AddressProof | null {
  const signature = readSignature(text.trim());
  return signature ? { signature, requestedAt } : null;
}

function readSignature(text: string): Uint8Array | null {
  if (/^(?:0x)?(?:[0-9a-f]{128}|[0-9a-f]{130})$/i.test(text)) return Buffer.from(text.replace(/^0x/i, ''), 'hex');
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return null;
  const bytes = base58.decode(text);
  return bytes.length === SOLANA_BYTES ? bytes : null;
}

const SOLANA_BYTES = 64;
