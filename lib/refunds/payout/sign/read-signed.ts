// The draft behind a signed transaction, read back from its bytes. Pure.

import { Transaction } from 'ethers';
import type { NetworkFamily } from '@/lib/networks/chain';
import { BadDraft, type Draft, type Validity } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';

const RAW_DATA_TAG = 0x0a;
/** A count of one and an ed25519 signature. */
const SOLANA_SIGNATURES = 65;

/** Throws BadDraft for bytes that are not one of our payments. */
export function draftOfSigned(
  family: NetworkFamily,
  intentId: string,
  { bytes, validity }: { readonly bytes: string; readonly validity: Validity },
): Draft {
  switch (family) {
    case 'evm': {
      const transaction = parsed(() => Transaction.from(bytes));
      if (!transaction.from) throw new BadDraft('it is not signed');
      const { unsignedSerialized: unsigned } = transaction;
      return { family, intentId, from: transaction.from.toLowerCase(), unsigned };
    }
    case 'tron': {
      const draft = { family, intentId, from: '', unsigned: rawData(Buffer.from(bytes, 'hex')) } as const;
      return { ...draft, from: readDraft(draft).from };
    }
    case 'solana': {
      if (validity.kind !== 'height') throw new BadDraft('it has no last height');
      const unsigned = Buffer.from(bytes, 'base64').subarray(SOLANA_SIGNATURES).toString('base64');
      const { lastValidBlockHeight } = validity;
      const draft = { family, intentId, from: '', unsigned, lastValidBlockHeight } as const;
      return { ...draft, from: readDraft(draft).from };
    }
    default:
      return family satisfies never;
  }
}

/** The first field of a protobuf Transaction, as hex. */
function rawData(bytes: Buffer): string {
  let [length, at] = [0, 1];
  for (let shift = 0; shift <= 21; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (bytes[0] !== RAW_DATA_TAG || at + length > bytes.length) throw new BadDraft('its bytes are no transaction');
  return bytes.subarray(at, at + length).toString('hex');
}

function parsed<T>(read: () => T): T {
  try {
    return read();
  } catch {
    // ethers throws errors of several kinds for bytes that it cannot read, and for nothing else.
    throw new BadDraft('its bytes are no transaction');
  }
}
