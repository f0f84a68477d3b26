// The worker's step that stops a theft before it is final: it reads the newest blocks of a network for tokens that leave a deposit address,
// the refund wallet or a sponsor without an intent of ours, and freezes signing once enough endpoints report the transfer. It stores nothing:
// once final, the transfer is booked or reported by outflows.ts and wallet.ts. A reorg may take the transfer away; an operator then unfreezes.

import { ChainError, type BlockSpan, type FoundTransfer, type Watch } from '@/lib/networks/chain';
import { FAMILIES } from '@/lib/networks/families/family';
import { stopsSigning } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import { resolveTreasuries, treasuryWallets, type TreasuryWallet } from '@/lib/networks/treasury-wallets';
import type { Config } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { findChainRow, type ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { openPass } from '@/lib/payments/watcher/pass';
import { openAddressBook } from '@/lib/payments/watcher/transfers/deposit-addresses';
import { nextWindow, startSizing, type WindowSizing } from '@/lib/payments/watcher/window';
import type { SignerClient, SignerState } from '@/lib/signer/client';
import { unexplainedAmong, type OwnWallets } from './unexplained';

/** Between two readings. With the worker's pause, a slow endpoint and one retry, a theft is found within a minute. */
const READ_MILLISECONDS = 30_000;
/** A suspected transfer is requested again soon: another endpoint may not have its block yet. */
const CONFIRM_MILLISECONDS = 5000;
/** The first reading after a start, and the longest one after an outage. Earlier blocks are left to the comparison of final ones. */
const LARGEST_SPAN_MILLISECONDS = 300_000;
/** A short reorg replaces this many blocks. They are read again. */
const OVERLAP_BLOCKS = 3;
const WINDOWS_PER_RUN = 20;
/** Blocks whose transfers other endpoints are asked for in one run. One that is confirmed is enough to freeze. */
const CONFIRMED_PER_RUN = 5;

type Signer = Pick<SignerClient, 'freeze' | 'state'>;

/** In memory only: a restarted worker reads the last minutes again. */
type Reading = {
  sizing: WindowSizing;
  /** The newest block that was read; null before the first reading. */
  through: number | null;
  nextAt: number;
  runs: number;
  /** Suspected transfers that are not confirmed yet, by identity. */
  readonly suspected: Map<string, FoundTransfer>;
  /** Blocks of transfers that froze the signer. An operator who unfreezes it has seen them. */
  readonly acted: Map<string, number>;
};

/** The steps of all chains. None without a signer, which names its wallets, and none on Solana, whose blocks list no transfers. */
export function tipSteps(
  config: Pick<Config, 'TREASURY_WALLETS'>,
  chains: readonly FollowedChain[],
  signer: Signer | null,
): { readonly name: string; readonly run: Step; readonly everyMilliseconds: number; readonly isBeside: true }[] {
  if (!signer) return [];
  return chains
    .filter(({ adapter }) => adapter.readsBlocks)
    .map((chain) => ({
      name: `guard the wallets on ${chain.environment} ${chain.network}`,
      run: tipOutflowStep(chain, config, signer),
      everyMilliseconds: CONFIRM_MILLISECONDS,
      isBeside: true,
    }));
}

/** The step of one chain that is read block by block. Throws an Error for unusable TREASURY_WALLETS. */
export function tipOutflowStep(
  chain: FollowedChain,
  { TREASURY_WALLETS }: Pick<Config, 'TREASURY_WALLETS'>,
  signer: Signer,
): Step {
  const named = treasuryWallets(TREASURY_WALLETS).filter(
    ({ spec }) => spec.network === chain.spec.network && spec.chain === chain.spec.chain,
  );
  const reading: Reading = {
    ...{ sizing: startSizing, through: null, nextAt: -Infinity, runs: 0 },
    suspected: new Map(),
    acted: new Map(),
  };
  return async (context) => {
    const now = context.clock.now().getTime();
    const isDue = chain.spec.chain === 'local' || now >= reading.nextAt || reading.nextAt > now + READ_MILLISECONDS;
    const row = isDue ? await findChainRow(context.pool, chain.environment, chain.network) : null;
    if (!row) return { more: false };
    reading.nextAt = now + CONFIRM_MILLISECONDS;
    const wallets = walletsOf(chain, named, await signer.state());
    try {
      await readTip(context, { chain, row, reading, wallets });
      await confirm(context, { chain, row, reading, wallets }, signer);
    } catch (error) {
      // The watcher reports trouble with the endpoints.
      if (!(error instanceof ChainError)) throw error;
      context.log.debug({ err: error, network: chain.network }, 'the newest blocks cannot be read for outflows now');
      return { more: false };
    }
    if (reading.suspected.size === 0) reading.nextAt = now + READ_MILLISECONDS;
    return { more: false };
  };
}

type Run = {
  readonly chain: FollowedChain;
  readonly row: ChainRow;
  readonly reading: Reading;
  readonly wallets: OwnWallets;
};

/** As transfers write addresses. */
function walletsOf(chain: FollowedChain, named: readonly TreasuryWallet[], state: SignerState): OwnWallets {
  const { environment, spec } = chain;
  const { storedAddress } = FAMILIES[spec.family];
  const sweeps = (state.sweeps ?? []).filter((one) => one.network === spec.network && one.environment === environment);
  const sponsors = sweeps.flatMap(({ sponsor, spareSponsor }) => [sponsor, spareSponsor]);
  return {
    treasuries: new Set(resolveTreasuries(named, state.wallets).map(({ address }) => address)),
    signing: new Set([state.wallets[environment][spec.family], ...sponsors].map(storedAddress)),
  };
}

/** Reads the blocks since the last reading, and keeps what no intent explains as suspected. */
async function readTip(context: Context, run: Run): Promise<void> {
  const { chain, reading } = run;
  const { tip } = await chain.adapter.head();
  const largest = Math.ceil(LARGEST_SPAN_MILLISECONDS / chain.spec.blockMs);
  // A local chain that was restarted is shorter.
  const since = reading.through === null || reading.through > tip.number ? -1 : reading.through - OVERLAP_BLOCKS;
  let after = Math.max(since, tip.number - largest, -1);
  reading.runs += 1;
  const pass = openPass(reading.sizing, WINDOWS_PER_RUN, async () => true);
  for (;;) {
    const window = nextWindow(pass.sizing, { after, last: tip.number });
    if (!window || !(await pass.next())) break;
    const span = { from: window.from, to: window.to };
    const found = await pass.attempt({ ...span, parentHash: null, final: false }, () => read(context, run, span));
    if (!found) continue;
    for (const one of found) if (!reading.acted.has(identityOf(one))) reading.suspected.set(identityOf(one), one);
    after = reading.through = window.to;
  }
  reading.sizing = pass.sizing;
  const oldest = tip.number - 2 * largest;
  for (const [identity, block] of reading.acted) if (block < oldest) reading.acted.delete(identity);
  for (const [identity, one] of reading.suspected) if (one.blockNumber < oldest) reading.suspected.delete(identity);
}

/** The transfers of the blocks that no intent explains, or may not explain yet. */
async function read(
  context: Context,
  run: Run,
  span: BlockSpan,
  outgoing: 'found' | 'agreed' = 'found',
): Promise<readonly FoundTransfer[]> {
  const found = await scan(context, run, span, outgoing);
  const { sure, maybe } = await judge(context, run, found);
  return [...sure, ...maybe];
}

async function scan(
  context: Context,
  { chain, row, reading, wallets }: Run,
  span: BlockSpan,
  outgoing: 'found' | 'agreed',
): Promise<readonly FoundTransfer[]> {
  const book = openAddressBook(context, chain, { row, openOnly: false });
  const watch: Watch = {
    among: async (addresses) => {
      const deposits = await book.watch.among(addresses);
      return new Set([...deposits, ...addresses.filter((one) => wallets.signing.has(one))]);
    },
    dueAddresses: async () => [],
  };
  // Endpoints take turns, so that one that hides transfers is found out.
  const second = reading.runs % 2 === 0;
  const window = { ...span, parentHash: null, final: false, second, outgoing };
  const found = await chain.adapter.scan(window, watch);
  return (found.outgoing ?? []).filter(({ payer }) => !book.isForeign(payer));
}

const judge = (context: Context, { row, wallets }: Run, outgoing: readonly FoundTransfer[]) =>
  unexplainedAmong(context.pool, { chainId: row.id, wallets, now: context.clock.now() }, outgoing);

/** Freezes for suspected transfers that enough endpoints report, and forgets those that they do not have. */
async function confirm(context: Context, run: Run, signer: Signer): Promise<void> {
  const { chain, reading } = run;
  const blocks = new Set([...reading.suspected.values()].map(({ blockNumber }) => blockNumber));
  for (const number of [...blocks].slice(0, CONFIRMED_PER_RUN)) {
    const { sure, maybe } = await judge(context, run, await scan(context, run, { from: number, to: number }, 'agreed'));
    const agreed = new Set([...sure, ...maybe].map(identityOf));
    for (const [identity, one] of reading.suspected)
      if (one.blockNumber === number && !agreed.has(identity)) reading.suspected.delete(identity);
    const [stolen] = sure;
    if (!stolen) continue;
    const { environment, network, spec } = chain;
    const { payer, recipient, currency, transactionHash } = stolen;
    const about = { environment, network, address: payer, recipient, currency, transactionHash };
    context.log.error(about, 'tokens left a wallet of this installation without an intent');
    if (stopsSigning(spec)) await signer.freeze(reasonOf(chain, stolen));
    for (const each of sure) {
      reading.acted.set(identityOf(each), each.blockNumber);
      reading.suspected.delete(identityOf(each));
    }
  }
}

const identityOf = ({ transactionHash, ordinal }: FoundTransfer): string => `${transactionHash} ${ordinal}`;

/** The signer accepts at most 200 characters. */
const reasonOf = ({ environment, network }: FollowedChain, { currency, transactionHash }: FoundTransfer): string =>
  `${currency} left a wallet on ${network} (${environment}) without an intent: ${transactionHash}`;
