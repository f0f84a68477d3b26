// Where a request to the accounts came from, in a form that is safe to store and show. The sender controls what the browser
// says of itself.

/** `address`: the client's address; empty when unknown. */
export type RequestSource = { readonly address: string; readonly userAgent: string };

const LONGEST = 300;

/** The sender in plain visible characters, truncated. */
export const requestSource = (address: string, userAgent: string | undefined): RequestSource => ({
  address: visible(address, 64),
  userAgent: visible(userAgent ?? '', LONGEST),
});

const visible = (text: string, longest: number): string =>
  [...text.normalize('NFC').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')].slice(0, longest).join('');
