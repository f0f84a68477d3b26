// The worker's step that makes signed proofs of reserves: the wallets of every network, then the books, then the wallets again. A network
// that cannot be read is named as such and delays no other one. What a run has read is lost with the process, and the next run begins
// again. A failure of one environment delays no other one. docs/decisions/0019-signed-proofs-of-reserves.md says why it is built like this.

import { openBalanceReader } from '@/lib/networks/families/clients';
import type { RefundWallets } from '@/lib/networks/treasury-wallets';
import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import type { Context, Step } from '@/lib/platform/context';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';
import { SignerClient } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { readBooks, readChains, type Books, type ChainBlock } from './books';
import { composeStatement, type NetworkFacts } from './compose';
import { signProof } from './key';
import {
  amountsAt,
  isDirect,
  readFormer,
  readWallets,
  walletsOf,
  type ChainReader,
  type Reading,
  type Unread,
  type Wallet,
} from './wallets';
import { isDue, storeProof } from './write';

/** The watcher follows within seconds; an idle network is read every few minutes. */
const WAIT_MILLISECONDS = 600_000;
/** A wallet that moved is likely still at the next attempt, and endpoints recover. What stays unreadable is reported. */
const ATTEMPTS = 20;
/** A failure that lasts, such as books that disagree, would read every wallet and all balances every few seconds. Each further one doubles it. */
const FIRST_PAUSE_MILLISECONDS = 10_000;
const LONGEST_PAUSE_MILLISECONDS = 600_000;

export type ProofParts = {
  readonly evidenceKey: MacKeys;
  readonly chains: readonly ChainReader[];
  readonly refundWallets: () => Promise<RefundWallets>;
};

/** `failures`: in succession. The error is thrown again until `until`, so that the step counts as failed until it succeeds. */
type Failure = { readonly error: unknown; readonly failures: number; readonly until: number };

/** `present`: null until the signer has named the refund wallets of this attempt. */
type Progress = { readonly attempt: number; readonly present: Begun | null };

/** The wallets before the books. `since`: when the wait for the watcher began. */
type Begun = {
  readonly since: number;
  /** The wallets of each network, which are read again after the books. */
  readonly places: ReadonlyMap<string, readonly Wallet[]>;
  readonly before: ReadonlyMap<string, Reading | Unread>;
};

export function proofStep(
  context: ChainDeps & Pick<Context, 'config'>,
  chains: readonly FollowedChain[],
  { evidenceKey, socket }: { readonly evidenceKey: MacKeys; readonly socket: string },
): Step {
  const readers = chains.map((chain) => ({
    chain,
    reader: openBalanceReader(sendingOptions(context.config, context, chain)),
  }));
  const signer = new SignerClient(socket);
  return proofStepWith({ evidenceKey, chains: readers, refundWallets: async () => (await signer.state()).wallets });
}

/** The same with given parts. */
export function proofStepWith(parts: ProofParts): Step {
  const progress = new Map<Environment, Progress>();
  const failed = new Map<Environment, Failure>();
  const environments = [...new Set(parts.chains.map(({ chain }) => chain.environment))];
  return async (context) => {
    for (const environment of environments) {
      const last = failed.get(environment);
      const now = context.clock.now().getTime();
      if (last && now < last.until) continue;
      try {
        if (await isDue(context.pool, environment, context.clock.now()))
          await advance(context, parts, environment, progress);
        else progress.delete(environment);
        failed.delete(environment);
      } catch (error) {
        progress.delete(environment);
        const failures = (last?.failures ?? 0) + 1;
        const pause = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(failures - 1, 10));
        failed.set(environment, { error, failures, until: now + pause });
      }
    }
    const errors = [...failed.values()].map(({ error }) => error);
    if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; '));
    if (errors.length === 1) throw errors[0];
    return { more: false, soon: progress.size > 0 };
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function advance(
  context: Context,
  parts: ProofParts,
  environment: Environment,
  progress: Map<Environment, Progress>,
): Promise<void> {
  const now = context.clock.now().getTime();
  const readers = parts.chains.filter(({ chain }) => chain.environment === environment);
  const { attempt, present: earlier } = progress.get(environment) ?? { attempt: 1, present: null };
  const present = earlier ?? (await begin(context, { parts, environment, readers }));
  progress.set(environment, { attempt, present });
  if (!present) return;
  const isWaiting = isBehind(await readChains(context.pool, environment), present);
  if (isWaiting && now - present.since < WAIT_MILLISECONDS) return;
  const books = await readBooks(context, environment);
  const networks: NetworkFacts[] = [];
  for (const one of readers) networks.push(await factsOf(context, one, { present, books }));
  const isUnread = networks.some(({ wallets }) => typeof wallets === 'string');
  if (isUnread && !isWaiting && attempt < ATTEMPTS) {
    const next = await begin(context, { parts, environment, readers });
    progress.set(environment, { attempt: attempt + 1, present: next });
    return;
  }
  progress.delete(environment);
  await sign(context, { parts, environment, books, networks: [...networks, ...notFollowed(books, networks)] });
}

type Beginning = {
  readonly parts: ProofParts;
  readonly environment: Environment;
  readonly readers: readonly ChainReader[];
};

/** Null while the signer, which names the refund wallets, does not answer. */
async function begin(context: Context, { parts, environment, readers }: Beginning): Promise<Begun | null> {
  const wallets = await parts.refundWallets().catch(unreachable);
  if (!wallets) return null;
  const rows = await readChains(context.pool, environment);
  const before = new Map<string, Reading | Unread>();
  const places = new Map<string, readonly Wallet[]>();
  for (const one of readers) {
    const { network, spec } = one.chain;
    const row = rows.find((known) => known.network === network);
    const former = row ? await readFormer(context, { chainId: row.chainId, spec }, wallets) : [];
    const own = walletsOf(context.config, one.chain, wallets, former);
    places.set(network, own);
    before.set(network, await readingOf(one, row, own));
  }
  return { since: context.clock.now().getTime(), places, before };
}

function unreachable(error: unknown): null {
  if (error instanceof AddressSourceError) return null;
  throw error;
}

const readingOf = async (
  one: ChainReader,
  row: ChainBlock | undefined,
  wallets: readonly Wallet[],
): Promise<Reading | Unread> => (row ? readWallets(one, wallets, row.genesis) : 'behind');

/** Whether the watcher has yet to read up to the wallets of a network. */
const isBehind = (rows: readonly ChainBlock[], { before }: Begun): boolean =>
  [...before].some(([network, reading]) => {
    const row = rows.find((one) => one.network === network);
    return typeof reading !== 'string' && row !== undefined && row.number < reading.through;
  });

async function factsOf(
  context: Context,
  one: ChainReader,
  { present, books }: { readonly present: Begun; readonly books: Books },
): Promise<NetworkFacts> {
  const { network, spec } = one.chain;
  const block = books.chains.find((row) => row.network === network) ?? null;
  const before = present.before.get(network) ?? 'behind';
  const places = present.places.get(network) ?? [];
  const known = { spec, network, block, places, isDirect: isDirect(context.config, spec) };
  if (!block) return { ...known, wallets: 'behind' };
  if (typeof before === 'string') return { ...known, wallets: before };
  const after = await readingOf(one, block, places);
  return { ...known, wallets: amountsAt(block, before, after) };
}

/** Networks on which stores are owed something and that this installation does not read any more. */
function notFollowed({ assets }: Books, networks: readonly NetworkFacts[]): NetworkFacts[] {
  const known = new Set(networks.map(({ network }) => network));
  const others = new Set(assets.map(({ network }) => network).filter((network) => !known.has(network)));
  return [...others].map((network) => ({
    spec: null,
    network,
    block: null,
    places: [],
    isDirect: false,
    wallets: 'not_followed' as const,
  }));
}

type Signing = {
  readonly parts: ProofParts;
  readonly environment: Environment;
  readonly books: Books;
  readonly networks: readonly NetworkFacts[];
};

async function sign(context: Context, { parts, environment, books, networks }: Signing): Promise<void> {
  const { statement, commitments } = await composeStatement(environment, books, networks);
  const signed = signProof(parts.evidenceKey, JSON.stringify(statement));
  const isStored = await storeProof(context, { environment, madeAt: books.at, signed, commitments });
  const unread = networks.filter(({ wallets }) => typeof wallets === 'string').map(({ network }) => network);
  if (isStored) context.log.info({ environment, unread }, 'a proof of reserves was signed');
}
