// Coin and authorizations on a fake EVM node: what transactions send, the account nonces that follow from it, and blocks in full.

/** `authorizations`: as a node lists them, each with the wallet whose account nonce it raises. */
export type SentCoin = {
  from?: string;
  /** Null: the transaction creates a contract. */
  to?: string | null;
  /** Wei. */
  value?: bigint;
  authorizations?: { by: string; listed: object }[];
};

type Block = { readonly transactions: readonly ({ readonly hash: string } & SentCoin)[] };

const SOMEONE = `0x${'99'.repeat(20)}`;
const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

export const sentCoin = ({ from, to, value, authorizations }: SentCoin): SentCoin => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
  ...(value === undefined ? {} : { value }),
  ...(authorizations === undefined ? {} : { authorizations }),
});

/** The account nonce of a wallet after a block. */
export function nonceAfter(blocks: readonly Block[], wallet: string, number: number): unknown {
  if (number >= blocks.length) return { error: { code: -32000, message: 'header not found' } };
  const all = blocks.slice(0, number + 1).flatMap(({ transactions }) => transactions);
  const signed = all.flatMap(({ from, authorizations = [] }) => [from, ...authorizations.map(({ by }) => by)]);
  return hex(signed.filter((one) => one === wallet).length);
}

/** The transactions of a block as a node lists them in full. */
export const fullTransactions = ({ transactions }: Block): object[] =>
  transactions.map(({ hash, from = SOMEONE, to = SOMEONE, value = 0n, authorizations }) => ({
    ...{ hash, from, to, value: hex(value), nonce: '0x0', input: '0x', type: authorizations ? '0x4' : '0x2' },
    ...(authorizations ? { authorizationList: authorizations.map(({ listed }) => listed) } : {}),
  }));
