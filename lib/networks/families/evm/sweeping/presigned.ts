// The file of authorizations that are signed in advance where the deposit keys are: one for each chain, delegate and account nonce. Its
// lines have one length, so that an index is found without reading the file. Pure.

import type { Authorization } from './sweep-transaction';

type Delegation = Pick<Authorization, 'chainId' | 'address' | 'nonce'>;
export type PresignedLine = { readonly index: number } & Pick<Authorization, 'yParity' | 'r' | 's'>;

const INDEX_DIGITS = 10;
const LINE = /^([0-9]{10}) ([01]) ([0-9a-f]{64}) ([0-9a-f]{64})\n$/;
/** Index, y-parity, r and s with their separators. */
export const PRESIGNED_LINE_BYTES = INDEX_DIGITS + 1 + 1 + 1 + 64 + 1 + 64 + 1;

/** The name of the file. */
export const presignedFile = ({ chainId, address, nonce }: Delegation): string => `${chainId}-${address}-${nonce}.txt`;

/** The line of an index, with its line feed. */
export const presignedLine = ({ index, yParity, r, s }: PresignedLine): string =>
  `${String(index).padStart(INDEX_DIGITS, '0')} ${yParity} ${r.slice(2)} ${s.slice(2)}\n`;

/** Null for a text that is no line of such a file. */
export function readPresignedLine(text: string): PresignedLine | null {
  const [, index, yParity, r, s] = LINE.exec(text) ?? [];
  return index === undefined
    ? null
    : { index: Number(index), yParity: yParity === '1' ? 1 : 0, r: `0x${r}`, s: `0x${s}` };
}
