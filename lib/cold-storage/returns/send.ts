// Takes the signatures of a request: compares them with the request as it was stored, and stores the signed transactions. Nothing is
// broadcast before they are stored (follow.ts), and a signature that comes again changes nothing.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { attemptOf } from './follow';
import { isSignedBy, signingOf, type Item } from './read-item';
import { differences, type Request } from './request-file';
import { lockChain, ReturnRefused } from './request';
import { readReturns, requestOf, type ColdReturn, type ReturnChain } from './rows';
import type { SignedFile } from './signed-file';

type Deps = Pick<Context, 'pool' | 'clock'>;

/** The returns of the request that a file of signatures names. Throws ReturnRefused. */
export async function returnsOf({ pool }: Pick<Deps, 'pool'>, file: SignedFile): Promise<readonly ColdReturn[]> {
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
  { file, rows, refund }: { readonly file: SignedFile; readonly rows: readonly ColdReturn[]; readonly refund: string },
): Promise<void> {
  const request = requestOf(chain.spec, rows);
  if (request.sha256 !== file.request)
    throw new ReturnRefused(
      `The stored transactions of ${file.id} are not those that were requested. Nothing was sent.`,
    );
  const found = [...differences(request, { to: refund, now: deps.clock.now() })];
  if (found.length > 0) throw new ReturnRefused(`${file.id} cannot be sent: ${found.join('; ')}. Request it again.`);
  const signed = signedItems(chain, request, file);
  await refuseIfStale(chain, rows, signed);
  await store(deps, chain, rows, signed);
}

type SignedItem = { readonly item: Item; readonly bytes: string; readonly hash: string };

function signedItems({ spec }: ReturnChain, { items }: Request, { signatures }: SignedFile): readonly SignedItem[] {
  if (signatures.length !== items.length)
    throw new ReturnRefused(`The file has ${signatures.length} signatures for ${items.length} transfers.`);
  return items.map((item, index) => {
    const signature = Buffer.from(signatures[index] as string, 'hex');
    if (!isSignedBy(spec, item, signature))
      throw new ReturnRefused(`Signature ${index + 1} is not one of ${item.from} over this transfer.`);
    return { item, ...signingOf(spec, item).finish(signature) };
  });
}

/** Refuses transactions that can no longer land, or that someone has broadcast by hand: those arrive as the operator's funding. */
async function refuseIfStale(
  { sender, spec }: ReturnChain,
  rows: readonly ColdReturn[],
  signed: readonly SignedItem[],
): Promise<void> {
  for (const [index, { item, hash }] of signed.entries()) {
    const { validity, from } = item;
    if ('nonce' in validity && index === 0) {
      const next = await sender.nextNonce(from);
      if (next > validity.nonce)
        throw stale(
          `the account nonce ${validity.nonce} of ${from} on ${spec.network} is used, its next one is ${next}`,
        );
    }
    if (
      'nonceAccount' in validity &&
      (await sender.durableNonce?.(validity.nonceAccount, from)) !== validity.nonceValue
    )
      throw stale(`the nonce account ${validity.nonceAccount} has another value by now`);
    const { createdAt } = rows[index] as ColdReturn;
    const outcome = await sender.outcome(attemptOf({ transactionHash: hash, createdAt }, item));
    if (outcome.kind === 'lapsed') throw stale(`the transaction can no longer land: ${outcome.reason}`);
    if (outcome.kind !== 'waiting') throw stale(`the network has or had the transaction ${hash} already`);
  }
}

const stale = (why: string): ReturnRefused =>
  new ReturnRefused(`Nothing was sent: ${why}. Request the transfer again.`);

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
