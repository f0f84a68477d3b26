// A signing request as text for the person who signs it: every transfer with its destination in full and in groups, and the totals. All
// figures are those of the transactions' bytes, because a request is shown as correct only after they were compared. Pure.

import { openAccount } from '@/lib/cold-storage/accounts/account';
import type { Item } from '@/lib/cold-storage/accounts/item';
import { specOf, termsOf, type Request } from '@/lib/cold-storage/returns/request-file';
import { decimalToText } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import { checksumAddress } from '@/lib/treasury/wallets/derivation';

const GROUP = 4;
const MARGIN = ' '.repeat(12);

/** Lines of at most 110 characters. */
export function shownRequest(request: Request): readonly string[] {
  const spec = specOf(request);
  const { items, totals } = request;
  const decimalsOf = (currency: string): number => spec.tokens[currency]?.decimals ?? 0;
  return [
    `Request     ${request.id}`,
    `  sha256    ${grouped(request.sha256, 8)}`,
    `  network   ${spec.network}@${spec.chain}${spec.chainId === null ? '' : `, chain id ${spec.chainId}`}`,
    `  purpose   ${request.purpose}`,
    `  created   ${request.created}`,
    `  expires   ${request.expires}`,
    ...items.flatMap((item, index) => ['', ...shownItem(request, item, `${index + 1} of ${items.length}`)]),
    '',
    ...Object.entries(totals).map(
      ([currency, total]) =>
        `Total       ${decimalToText({ units: BigInt(total), digits: decimalsOf(currency) })} ${currency}`,
    ),
    `Fees        at most ${coins(
      spec,
      items.reduce((sum, { feeCap }) => sum + BigInt(feeCap), 0n),
    )}`,
  ];
}

function shownItem(request: Request, item: Item, place: string): string[] {
  const spec = specOf(request);
  const terms = termsOf(request);
  const { currency, decimals, amount, contract, from, to, feeCap } = item;
  const rent = terms?.kind === 'squads' ? ', and the rent of a proposal' : ', and the rent of a new token account';
  return [
    `Transfer    ${place}: ${decimalToText({ units: BigInt(amount), digits: decimals })} ${currency}`,
    ...address(spec, 'to', to),
    ...address(spec, 'from', from),
    ...address(spec, 'token', contract),
    `  fee       at most ${coins(spec, BigInt(feeCap))}${spec.family === 'solana' ? rent : ''}`,
    `  valid     ${shownValidity(item, terms?.kind === 'safe' ? "the Safe's next nonce" : "the wallet's next account nonce")}`,
    ...openAccount(spec, from, terms)
      .shown(item)
      .map(([name, value]) => `  ${name.padEnd(10)}${value}`),
  ];
}

const address = ({ family }: NetworkSpec, name: string, text: string): string[] => {
  const shown = family === 'evm' ? checksumAddress(text) : text;
  return [`  ${name.padEnd(10)}${shown}`, `${MARGIN}${grouped(shown.replace(/^0x/, ''), GROUP)}`];
};

function shownValidity({ validity }: Item, nonceName: string): string {
  if ('nonce' in validity) return `while ${validity.nonce} is ${nonceName}`;
  if ('until' in validity) return `until ${new Date(validity.until * 1000).toISOString()}`;
  return `while ${validity.nonceAccount} holds ${validity.nonceValue}`;
}

const coins = ({ coin }: NetworkSpec, units: bigint): string =>
  `${decimalToText({ units, digits: coin.decimals })} ${coin.symbol}`;

/** Groups that can be compared by eye: 0xdac17f95 → dac1 7f95. */
const grouped = (text: string, size: number): string => text.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? '';
