// The draft behind a signed transaction, read back from its bytes. Pure.

import { Transaction } from 'ethers/transaction';
import type { NetworkFamily } from '@/lib/networks/chain';
import { decodeFields } from '@/lib/networks/families/tron/protobuf';
import { BadDraft, type Draft, type Validity } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';

/** The number of raw_data in a protobuf Transaction (protocol/core/Tron.proto). */
const RAW_DATA = 1;
/** A count of one and an ed25519 signature. */
const SOLANA_SIGNATURES = 65;

/** Throws BadDraft for bytes that are not one of our payments. */
export function draftOfSigned(
  family: NetworkFamily,
  intentId: string,
  {
    bytes,
    validity,
    item,
  }: { readonly bytes: string; readonly validity: Validity; readonly item?: number | undefined },
): Draft {
  switch (family) {
    case 'evm': {
      const transaction = parsed(() => Transaction.from(bytes));
      if (!transaction.from) throw new BadDraft('it is not signed');
      const { unsignedSerialized: unsigned } = transaction;
      const place = item === undefined ? {} : { item };
      return { family, intentId, from: transaction.from.toLowerCase(), unsigned, ...place };
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

/** The raw_data of a protobuf Transaction, as hex. */
function rawData(bytes: Buffer): string {
  const raw = parsed(() => decodeFields(bytes).get(RAW_DATA));
  if (!(raw instanceof Uint8Array)) throw new BadDraft('its bytes are no transaction');
  return Buffer.from(raw).toString('hex');
}

function parsed<T>(read: () => T): T {
  try {
    return read();
  } catch {
    // The decoders throw errors of several kinds for bytes that they cannot read, and for nothing else.
    throw new BadDraft('its bytes are no transaction');
  }
}
