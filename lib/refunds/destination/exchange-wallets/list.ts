// The operator's list of exchange wallets: exchanges and other senders whose wallet many customers share. No refund goes back to one of
// them automatically; the customer names an address instead.

import { NETWORKS, STANDARD_NETWORKS } from '@/lib/networks/networks';
import { readRecipient } from '@/lib/networks/recipients/recipient';
import type { Db } from '@/lib/platform/database/db';

/** `address` in stored form. `label` is shown to merchants: "Binance". */
export type ExchangeWallet = { readonly network: string; readonly address: string; readonly label: string };

/** A line of the list that cannot be used; the message says why. */
export class InvalidExchangeWallet extends Error {
  override readonly name = 'InvalidExchangeWallet';
}

/** The most lines of one import. An exchange has a few hundred wallets per network. */
const MAX_LINES = 100_000;
const MAX_FAULTS_SHOWN = 10;
/** A sentence shows the label, so it is one short line. */
const LABEL = /^[^\p{C}\s](?:[^\p{C}]{0,58}[^\p{C}\s])?$/u;

/** The whole list, by network and label. */
export async function listExchangeWallets(db: Db): Promise<ExchangeWallet[]> {
  const text = 'SELECT network, address, label FROM exchange_wallets ORDER BY network, label, address';
  return (await db.query<ExchangeWallet>(text)).rows;
}

/** Adds wallets, all or none; a listed wallet gets the new label. Returns how many. Throws InvalidExchangeWallet. */
export async function addExchangeWallets(db: Db, senders: readonly ExchangeWallet[]): Promise<number> {
  // One statement cannot change a row twice. Of two lines about one address the last counts.
  const checked = new Map(senders.map((one) => checkSender(one)).map((one) => [`${one.network} ${one.address}`, one]));
  const rows = [...checked.values()];
  const { rowCount } = await db.query(
    `INSERT INTO exchange_wallets (network, address, label) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (network, address) DO UPDATE SET label = EXCLUDED.label`,
    [rows.map(({ network }) => network), rows.map(({ address }) => address), rows.map(({ label }) => label)],
  );
  return rowCount ?? 0;
}

/** Removes a wallet from the list. False when it is not listed. Throws InvalidExchangeWallet for an invalid address. */
export async function removeExchangeWallet(db: Db, sender: Omit<ExchangeWallet, 'label'>): Promise<boolean> {
  const { network, address } = checkSender({ ...sender, label: '-' });
  const { rowCount } = await db.query('DELETE FROM exchange_wallets WHERE network = $1 AND address = $2', [
    network,
    address,
  ]);
  return rowCount === 1;
}

/**
 * Parses a list: each line has network, address and label, separated by commas, semicolons or spaces; a label may contain spaces. Skips
 * empty lines and lines that start with #. Throws InvalidExchangeWallet with the first invalid lines.
 */
export function parseExchangeWallets(text: string): ExchangeWallet[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > MAX_LINES) throw new InvalidExchangeWallet(`more than ${MAX_LINES} lines; import them in parts`);
  const faults: string[] = [];
  const senders = lines.flatMap((line, index): ExchangeWallet[] => {
    if (/^\s*(#|$)/.test(line)) return [];
    const [, network = '', address = '', label = ''] =
      /^\s*([^\s,;]+)[\s,;]+([^\s,;]+)[\s,;]+(.*\S)\s*$/.exec(line) ?? [];
    try {
      return [checkSender({ network, address, label })];
    } catch (error) {
      if (!(error instanceof InvalidExchangeWallet)) throw error;
      faults.push(`line ${index + 1}: ${error.message}`);
      return [];
    }
  });
  if (faults.length > 0) throw new InvalidExchangeWallet(faults.slice(0, MAX_FAULTS_SHOWN).join('\n'));
  return senders;
}

/** The date that a list states, or `now` for a list without one. Throws InvalidExchangeWallet for an invalid or future date. */
export function dateOfList(text: string, now: Date): Date {
  const found = /^\s*#\s*as of (\S+)\s*$/m.exec(text)?.[1];
  if (found === undefined) return now;
  const date = new Date(`${found}T00:00:00Z`);
  if (/^\d{4}-\d{2}-\d{2}$/.test(found) && date <= now) return date;
  throw new InvalidExchangeWallet(`the list is as of ${found}, which is no day up to today`);
}

function checkSender({ network, address: typed, label }: ExchangeWallet): ExchangeWallet {
  const spec = NETWORKS.find((row) => row.network === network);
  if (!spec) {
    throw new InvalidExchangeWallet(`the network must be one of ${STANDARD_NETWORKS.join(', ')}`);
  }
  if (!LABEL.test(label)) throw new InvalidExchangeWallet('the label must be a name of 1 to 60 characters');
  const read = readRecipient(spec, typed);
  if ('address' in read) return { network, address: read.address, label };
  throw new InvalidExchangeWallet(`this address cannot be listed on ${network} (${read.refused.code})`);
}
