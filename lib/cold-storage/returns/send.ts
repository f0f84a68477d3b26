// Takes the signatures of a request: compares them with the request as it was stored, and stores the signed transactions. Nothing is
// broadcast before they are stored (follow.ts), and a signature that comes again changes nothing.

import { nonceAuthorityOf, openAccount } from '@/lib/cold-storage/accounts/account';
import type { ColdAccount, Item, Signatures } from '@/lib/cold-storage/accounts/item';
import type { SafeTerms } from '@/lib/cold-storage/accounts/safe';
import { membersObstacle, readTransfer, type SquadsTerms } from '@/lib/cold-storage/accounts/squads';
import type { SignedTransaction } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { outcomeOf } from './follow';
import { differences, termsOf, type Request } from './request-file';
import { ReturnRefused } from './refusal';
import { lockChain } from './request';
import { readReturns, requestOf, type ColdReturn, type ReturnChain } from './rows';
import { collectSignatures, missingText, type SignedFile } from './signed-file';
import { hasTronTerms } from './tron-terms';

type Deps = Pick<Context, 'pool' | 'clock'>;

/** The returns of the request that files of signatures name. Throws ReturnRefused. */
export async function returnsOf(
  { pool }: Pick<Deps, 'pool'>,
  files: readonly SignedFile[],
): Promise<readonly ColdReturn[]> {
  const [file] = files;
  if (!file) throw new Error('a command to send names a file');
  if (files.some(({ id, request }) => id !== file.id || request !== file.request))
    throw new ReturnRefused('The files are of different requests.');
  const rows = await readReturns(pool, file.id);
  if (rows.length === 0) throw new ReturnRefused(`This installation has made no request ${file.id}.`);
  if (rows.some(({ requestSha256 }) => requestSha256 !== file.request))
    throw new ReturnRefused(
      `The signatures are of another content: ${file.id} was requested with the sha256 ${rows[0]?.requestSha256}.`,
    );
  return rows;
}

/**
 * Stores the signed transactions of a request. Those that are stored already stay as they are. Throws ReturnRefused, BadDraft, or a
 * ChainError when the chain cannot be read. `refund`: the refund wallet by the signer.
 */
export async function acceptSignatures(
  deps: Deps,
  chain: ReturnChain,
  given: { readonly files: readonly SignedFile[]; readonly rows: readonly ColdReturn[]; readonly refund: string },
): Promise<void> {
  const { files, rows, refund } = given;
  const request = requestOf(chain.spec, rows);
  if (files.some((file) => request.sha256 !== file.request))
    throw new ReturnRefused(
      `The stored transactions of ${request.id} are not those that were requested. Nothing was sent.`,
    );
  const found = [...differences(request, { to: refund, now: deps.clock.now() })];
  if (found.length > 0) throw new ReturnRefused(`${request.id} cannot be sent: ${found.join('; ')}. Request it again.`);
  const signed = signedItems(chain, request, files);
  if (!(await hasTronTerms(chain, request.items[0]?.from ?? '', termsOf(request))))
    throw stale('the permissions of the account have changed since the request');
  await refuseIfStale(chain, rows, signed);
  await store(deps, chain, rows, signed);
}

type SignedItem = { readonly item: Item; readonly bytes: string; readonly hash: string };

function signedItems({ spec }: ReturnChain, request: Request, files: readonly SignedFile[]): readonly SignedItem[] {
  const { items } = request;
  const account = openAccount(spec, items[0]?.from ?? '', termsOf(request));
  const { signed, problem } = collectSignatures(account, items, files);
  if (problem !== null) throw new ReturnRefused(problem);
  const missing = missingText(account, signed[0]?.keys() ?? []);
  if (missing !== null) throw new ReturnRefused(missing);
  const finish = finishing(account, items, { files, signed });
  return items.map((item, index) => ({ item, ...finish(item, index) }));
}

type Finish = (item: Item, index: number) => SignedTransaction;

function finishing(
  account: ColdAccount,
  items: readonly Item[],
  { files, signed }: { readonly files: readonly SignedFile[]; readonly signed: readonly Signatures[] },
): Finish {
  const { completion } = account;
  switch (completion.kind) {
    case 'signatures':
      return (item, index) => completion.finish(item, signed[index] ?? new Map());
    case 'executor': {
      // The executor signed over the signatures of its own file, and not over those that other files add.
      const file = files.find(({ executions }) => executions?.length === items.length);
      if (!file?.executions)
        throw new ReturnRefused(
          `The executor ${completion.executor} must sign last: stabletill-offline sign with --signed for the file of each signer.`,
        );
      const { executions } = file;
      const own = collectSignatures(account, items, [file]).signed;
      return (item, index) =>
        completion.finish(item, own[index] ?? new Map(), Buffer.from(executions[index] ?? '', 'hex'));
    }
    case 'elsewhere':
      throw new ReturnRefused('This request names no executor: it is signed and executed in another program.');
    default:
      return completion satisfies never;
  }
}

/** Refuses transactions that can no longer land, or that someone has broadcast by hand: those arrive as the operator's funding. */
async function refuseIfStale(
  chain: ReturnChain,
  rows: readonly ColdReturn[],
  signed: readonly SignedItem[],
): Promise<void> {
  const { sender, spec } = chain;
  for (const [index, { item, hash }] of signed.entries()) {
    const { validity, from } = item;
    const { createdAt, account } = rows[index] as ColdReturn;
    if (account?.kind === 'safe') await refuseUsedNonces(chain, item, account);
    else if ('nonce' in validity && index === 0) {
      const next = await sender.nextNonce(from);
      if (next > validity.nonce)
        throw stale(
          `the account nonce ${validity.nonce} of ${from} on ${spec.network} is used, its next one is ${next}`,
        );
    }
    if (
      'nonceAccount' in validity &&
      (await sender.durableNonce?.(validity.nonceAccount, nonceAuthorityOf(from, account))) !== validity.nonceValue
    )
      throw stale(`the nonce account ${validity.nonceAccount} has another value by now`);
    if (account?.kind === 'squads') await refuseChangedMultisig(chain, item, account);
    const outcome = await outcomeOf(chain, { transactionHash: hash, createdAt, account }, item);
    if (outcome.kind === 'lapsed') throw stale(`the transaction can no longer land: ${outcome.reason}`);
    if (outcome.kind !== 'waiting') throw stale(`the network has or had the transaction ${hash} already`);
  }
}

/** Of the Safe, and of the account that executes its transfer. */
async function refuseUsedNonces(
  { sender, spec }: ReturnChain,
  { from, validity }: Item,
  { execution }: SafeTerms,
): Promise<void> {
  const state = await sender.safes?.state(from);
  if (state?.kind !== 'safe' || !('nonce' in validity)) throw stale(`${from} on ${spec.network} is no Safe`);
  if (state.nonce > validity.nonce)
    throw stale(
      `the nonce ${validity.nonce} of the Safe is used, its next one is ${state.nonce}. If this transfer has used it, it is booked when it is final`,
    );
  if (execution && (await sender.nextNonce(execution.executor)) > execution.nonce)
    throw stale(`the account nonce ${execution.nonce} of the executor ${execution.executor} is used`);
}

/** A transaction that the multisig would refuse costs its fee, and the value of the nonce account. */
async function refuseChangedMultisig(
  { sender, spec }: ReturnChain,
  { unsigned }: Item,
  terms: SquadsTerms,
): Promise<void> {
  const { multisig, index } = readTransfer(unsigned, terms);
  const state = await sender.squads?.state(multisig);
  if (!state) throw stale(`${multisig} on ${spec.network} is no Squads multisig`);
  const obstacle = membersObstacle(state, terms.members);
  if (obstacle !== null) throw stale(`the multisig has changed. ${obstacle}`);
  if (state.lastIndex + 1 !== index)
    throw stale(`the next transaction of the multisig is ${state.lastIndex + 1}, and this one is ${index}`);
}

const stale = (why: string): ReturnRefused =>
  new ReturnRefused(`Nothing was sent: ${why.replace(/\.$/, '')}. Request the transfer again.`);

async function store(
  { pool, clock }: Deps,
  chain: ReturnChain,
  rows: readonly ColdReturn[],
  signed: readonly SignedItem[],
): Promise<void> {
  await transaction(pool, async (tx) => {
    await lockChain(tx, chain.chainId);
    const { rowCount } = await tx.query({
      name: 'cold-return-sign',
      text: `UPDATE cold_returns r SET signed_bytes = one.bytes, transaction_hash = one.hash, signed_at = $4
             FROM unnest($1::text[], $2::text[], $3::text[]) AS one (id, bytes, hash)
             WHERE r.id = one.id AND r.signed_at IS NULL AND r.ended_at IS NULL`,
      values: [
        signed.map(({ item }) => item.intent),
        signed.map(({ bytes }) => bytes),
        signed.map(({ hash }) => hash),
        clock.now(),
      ],
    });
    if (rowCount !== rows.length)
      throw new ReturnRefused(
        'Nothing was sent: a newer request has taken its place, or another command has just stored the signatures.',
      );
  });
}
