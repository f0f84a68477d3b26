// Returns of the cold wallet as lines for the operator. Pure.

import { decimalToText } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import { openAccount } from '@/lib/cold-storage/accounts/account';
import type { Followed } from './follow';
import { termsOf, type Request } from './request-file';

/** "1500 USDT". */
export const shortOf = (spec: Pick<NetworkSpec, 'tokens'>, currency: string, units: bigint): string =>
  `${decimalToText({ units, digits: spec.tokens[currency]?.decimals ?? 0 })} ${currency}`;

/** What the operator does with a request that was just written to `file`. */
export function nextSteps(spec: NetworkSpec, request: Request, file: string): readonly string[] {
  const [item] = request.items;
  const terms = termsOf(request);
  const sign = `  node stabletill-offline.mjs sign ${file} --to-file PINS --key-file KEY`;
  const send = `Then here: npm run cold -- send ${file}.signed`;
  const until = `${file} must be signed and sent before ${request.expires}.`;
  if (terms === null || !item)
    return [`sha256 ${request.sha256}`, `${until} On the machine without a network:`, sign, send];
  const account = openAccount(spec, item.from, terms);
  if (terms.kind !== 'safe')
    return [
      ...account.shown(item).map(([name, value]) => `  ${name.padEnd(10)}${value}`),
      `sha256 ${request.sha256}`,
      ...(terms.kind === 'squads'
        ? ['Make nothing else in the multisig until it has landed: this must be its next transaction.']
        : []),
      `${until} Each holder of a key, on a machine without a network:`,
      `${sign} [--signed FILE of another holder]`,
      `${send} [FILE of another holder]`,
    ];
  const nonce = 'nonce' in item.validity ? item.validity.nonce : '';
  return [
    `sha256 ${request.sha256}`,
    `safeTxHash 0x${Buffer.from(account.payload(item)).toString('hex')}`,
    `It is for the nonce ${nonce} of the Safe, and ${terms.threshold} of ${terms.owners.length} owners sign it.`,
    ...(terms.execution
      ? [
          `${until} Each owner, on a machine without a network:`,
          sign,
          `The executor ${terms.execution.executor} signs last, with --signed FILE for the file of each owner.`,
          send,
        ]
      : ['It names no executor (--executor ADDRESS), so it is signed and executed in the Safe web app:']),
    `For the Safe web app: import ${file}.safe.json into the Transaction Builder, keep the nonce ${nonce}, and compare the safeTxHash.`,
  ];
}

/** What the chain reports about one transfer. */
export function outcomeText({ id, outcome, note, transactionHash }: Followed): string {
  if (outcome === null) return `${transactionHash}: the network does not answer (${note})`;
  switch (outcome.kind) {
    case 'waiting':
      return note === null
        ? `${transactionHash}: broadcast, in no block yet`
        : `${transactionHash}: not taken yet (${note})`;
    case 'seen':
      return `${transactionHash}: in a block, ${outcome.confirmations} confirmations`;
    case 'landed':
      return `${transactionHash}: final in block ${outcome.block.number}, and booked`;
    case 'reverted':
      return `${transactionHash}: final without moving anything: ${outcome.reason}`;
    case 'lapsed':
      return `it can no longer land: ${outcome.reason}`;
    case 'unclear':
    case 'pruned':
      return `${transactionHash}: look at it in an explorer: ${outcome.reason} (then npm run cold -- give-up ${id})`;
    default:
      return outcome satisfies never;
  }
}
