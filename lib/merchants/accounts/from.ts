// Where a request to the accounts came from, in a form that can be kept and shown: what browsers say of themselves is whatever
// their sender likes.

/** `address`: the client's, empty where nobody tells it. */
export type From = { readonly address: string; readonly userAgent: string };

const LONGEST = 300;

/** The sender in plain visible characters, cut. */
export const fromOf = (address: string, userAgent: string | undefined): From => ({
  address: visible(address, 64),
  userAgent: visible(userAgent ?? '', LONGEST),
});

const visible = (text: string, longest: number): string =>
  [...text.normalize('NFC').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')].slice(0, longest).join('');
