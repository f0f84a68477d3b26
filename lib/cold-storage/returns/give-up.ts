// Ends a signed return of which the endpoints never say what became of it, so that the next one can be requested. It must be certain that the
// transaction cannot land any more. Whether it landed before is not: if it did, the comparison of the refund wallet finds its money.

import { nonceAuthorityOf } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { Item } from '@/lib/cold-storage/accounts/item';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { followReturns } from './follow';
import { ReturnRefused } from './refusal';
import { lockChain } from './request';
import { readReturns, type ColdReturn, type ReturnChain } from './rows';
import { shortOf } from './shown';

type Deps = Pick<Context, 'pool' | 'clock' | 'log'> & {
  readonly print: (line: string) => void;
  /** The line that is typed after the text; null if the input is not a terminal. */
  readonly ask: (text: string) => Promise<string | null>;
};

const ID = /^(cr_[0-9A-Za-z]{22})_[1-8]$/;
const LONGEST_REASON = 500;

/** The transfer and the operator's reason in the words of the command; null if they are incomplete. */
export function readGiveUpWords(words: readonly string[]): { readonly id: string; readonly reason: string } | null {
  const [id = '', option, reason = '', ...more] = words;
  const isValid = ID.test(id) && option === '--reason' && more.length === 0 && reason.trim() !== '';
  return isValid && reason.length <= LONGEST_REASON ? { id, reason: reason.trim() } : null;
}

/** Returns the exit code. Throws ReturnRefused while the transaction may still land, or a ChainError when that cannot be read. */
export async function giveUp(
  deps: Deps,
  { id, reason }: { readonly id: string; readonly reason: string },
  openChain: (of: ColdReturn) => Promise<ReturnChain>,
): Promise<number> {
  const chain = await openChain(await readOpen(deps, id));
  const followed = (await followReturns(deps, chain)).find((one) => one.id === id);
  const one = await readOpen(deps, id);
  const item = describeItem(chain.spec, { intent: id, unsigned: one.unsigned, from: one.sender }, one.account);
  await refuseWhileItMayLand(chain, { item, account: one.account }, followed?.outcome ?? null);
  const what = shortOf(chain.spec, item.currency, BigInt(item.amount));
  deps.print(`${id}  ${what} from ${item.from} to ${item.to}, transaction ${one.transactionHash}`);
  deps.print(
    'It can no longer land. If it has landed, its money is booked as your funding once it is found, and the audit log says so.',
  );
  if ((await deps.ask(`Type ${id} to give it up: `))?.trim() !== id) {
    deps.print('Nothing was done. The command asks at a terminal.');
    return 3;
  }
  await end(deps, chain, { one, reason });
  deps.print(`${id} is given up.`);
  return 0;
}

/** Throws ReturnRefused unless it is signed and has not ended. */
async function readOpen({ pool }: Deps, id: string): Promise<ColdReturn> {
  const rows = await readReturns(pool, ID.exec(id)?.[1] ?? '');
  const one = rows.find((row) => row.id === id);
  if (!one) throw new ReturnRefused(`This installation has made no transfer ${id}.`);
  if (one.outcome !== null) throw new ReturnRefused(`${id} has ended: ${one.outcome}.`);
  if (one.signedAt === null)
    throw new ReturnRefused(`${id} is not signed here, so it stops nothing. A newer request takes its place.`);
  return one;
}

/** As many endpoints as a final outcome needs must report that the transaction is too late. */
async function refuseWhileItMayLand(
  { sender, spec: { network } }: ReturnChain,
  { item: { validity, from }, account }: { readonly item: Item } & Pick<ColdReturn, 'account'>,
  outcome: AttemptOutcome | null,
): Promise<void> {
  if (outcome?.kind === 'seen')
    throw mayLand(
      'an endpoint has it, in a block or in its pool. Wait, or take an endpoint that is wrong out of the settings',
    );
  /** Every endpoint that answers says so, or has the transaction in a final block. */
  const isTooLate = outcome?.kind === 'pruned' || outcome?.kind === 'unclear';
  if (account?.kind === 'safe' && 'nonce' in validity) {
    const state = await sender.safes?.state(from);
    if (!isTooLate || state?.kind !== 'safe' || state.nonce <= validity.nonce)
      throw mayLand(`no final transaction of the Safe ${from} on ${network} uses its nonce ${validity.nonce}`);
  } else if ('nonce' in validity) {
    const next = (await sender.finalNonce?.(from)) ?? 0;
    if (next <= validity.nonce)
      throw mayLand(`no final transaction of ${from} on ${network} uses its account nonce ${validity.nonce}`);
  } else if ('until' in validity) {
    const newest = (await sender.newestTime?.())?.time ?? 0;
    if (!isTooLate || newest <= validity.until)
      throw mayLand(`not every endpoint has a final block after ${new Date(validity.until * 1000).toISOString()}`);
  } else {
    const authority = nonceAuthorityOf(from, account);
    const value = (await sender.durableNonce?.(validity.nonceAccount, authority)) ?? null;
    // Without a value the account may have another authority, which can give it back.
    if (value === validity.nonceValue || (value === null && !isTooLate))
      throw mayLand(`the nonce account ${validity.nonceAccount} was not advanced`);
  }
}

const mayLand = (why: string): ReturnRefused => new ReturnRefused(`It may still land: ${why}.`);

/** The second caller is refused. */
async function end(
  { pool, clock, log }: Deps,
  { chainId, spec: { network } }: ReturnChain,
  { one, reason }: { readonly one: ColdReturn; readonly reason: string },
): Promise<void> {
  const { id, environment, currency, amount, transactionHash } = one;
  const now = clock.now();
  await transaction(pool, async (tx) => {
    await lockChain(tx, chainId);
    const { rowCount } = await tx.query({
      name: 'cold-return-give-up',
      text: `UPDATE cold_returns SET outcome = 'given_up', ended_at = $2 WHERE id = $1 AND signed_at IS NOT NULL AND ended_at IS NULL`,
      values: [id, now],
    });
    if (rowCount !== 1) throw new ReturnRefused(`${id} has ended meanwhile. Nothing was done.`);
    const details = { environment, network, currency, amount: String(amount), transactionHash, reason };
    const entry = { actor: 'server', storeId: null, action: 'cold_return.give_up', target: `cold_return/${id}` };
    await recordAudit(tx, { ...entry, details, address: '', now });
  });
  log.warn(
    { coldReturnId: id, network, environment, transactionHash, reason },
    'a transfer of the cold wallet was given up',
  );
}
