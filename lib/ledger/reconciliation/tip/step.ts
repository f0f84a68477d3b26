// The worker's step that stops a theft before it is final: it reads the newest blocks of a network for tokens that leave a deposit address,
// the refund wallet or a sponsor without an intent of ours, and for coin that a wallet of the signer sends to a stranger. It freezes signing
// once enough endpoints report the transfer. On Solana it reads the deposit addresses that hold money and, in every turn, the coin of sponsors;
// lib/refunds/wallet-check compares the refund wallet there. Once final, outflows.ts and wallet.ts book or report tokens. After a reorg that
// removes the transfer, an operator unfreezes.

import { ChainError, type DueAddress, type FoundTransfer } from '@/lib/networks/chain';
import { isCoin } from '@/lib/networks/coins';
import { FAMILIES } from '@/lib/networks/families/family';
import { openEach, sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import type { Config } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { findChainRow, type ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { openAddressBook } from '@/lib/payments/watcher/transfers/deposit-addresses';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { ownWallets } from '@/lib/treasury/own-wallets/list';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { freezeForWaiting, type FreezingSigner } from './freeze';
import { openTipReader, TURN_MILLISECONDS, type Endpoints, type Guard } from './read';
import { readKnown, storeOutflow } from './rows';
import { unexplainedAmong, type OwnWallets } from './unexplained';
import { readUnswept } from './unswept';

/** How often the step runs. */
const RUN_MILLISECONDS = 5000;
type Settings = Pick<Config, 'TREASURY_WALLETS' | 'COLD_WALLETS'>;

/** The steps of all chains. None without a signer, which names its wallets. */
export function tipSteps(
  context: ChainDeps & Pick<Context, 'config'>,
  chains: readonly FollowedChain[],
): {
  readonly name: string;
  readonly run: Step;
  readonly everyMilliseconds: number;
  readonly quietMilliseconds: number;
  readonly isBeside: true;
}[] {
  const { SIGNER_SOCKET: socket } = context.config;
  if (!socket) return [];
  const signer = new SignerClient(socket);
  return chains.map((chain) => {
    const options = sendingOptions(context.config, context, chain);
    const reached = { endpoints: openEach(options), needed: options.needed };
    return {
      name: `guard the wallets on ${chain.environment} ${chain.network}`,
      run: tipOutflowStep(chain, reached, context.config, signer),
      everyMilliseconds: RUN_MILLISECONDS,
      // Each run is one reading then (read.ts).
      quietMilliseconds: TURN_MILLISECONDS,
      isBeside: true,
    };
  });
}

/** The step of one chain. `needed`: how many of the endpoints must report a transfer. */
export function tipOutflowStep(
  chain: FollowedChain,
  { endpoints, needed }: { readonly endpoints: Endpoints; readonly needed: number },
  settings: Settings,
  signer: FreezingSigner,
): Step {
  const { spec } = chain;
  const reader = openTipReader({ spec, endpoints, needed });
  let wallets: OwnWallets | null = null;
  let nextAt = -Infinity;
  /** Of the last answer of the signer. */
  let freeze: { readonly reason: string | null; readonly since: Date | null } | null = null;

  async function read(context: Context, row: ChainRow, of: OwnWallets): Promise<void> {
    const now = context.clock.now().getTime();
    if (now < nextAt && nextAt <= now + TURN_MILLISECONDS && spec.chain !== 'local') return;
    const accounts = chain.adapter.readsBlocks ? null : await readUnswept(context.pool, row.id);
    // Not again in each run where one account cannot be read: every endpoint would be tried for it.
    if (accounts) nextAt = now + TURN_MILLISECONDS;
    const guard = guardOf(context, chain, row, { wallets: of, accounts });
    if (accounts?.length === 0 && guard.coinWallets.length === 0) reader.failures.clear();
    else await readOnce(context, row, guard);
  }

  async function readOnce(context: Context, row: ChainRow, guard: Guard): Promise<void> {
    const now = context.clock.now().getTime();
    try {
      const isDone = await reader.read(context, guard);
      nextAt = isDone ? now + TURN_MILLISECONDS : now;
    } finally {
      await readCoin(context, row, guard);
    }
  }

  async function readCoin(context: Context, row: ChainRow, guard: Guard): Promise<void> {
    try {
      await reader.readCoin(context, guard);
    } finally {
      // What endpoints reported counts, also where another account, or coin, could not be read.
      for (const transfer of await reader.confirmed(context, guard)) {
        await store(context, chain, row, transfer);
        reader.drop(transfer);
      }
    }
  }

  return async (context) => {
    const row = await findChainRow(context.pool, chain.environment, chain.network);
    if (!row) return { more: false };
    const answer = await stateOf(signer);
    if (answer.state) {
      wallets = walletsOf(chain, settings, answer.state);
      const { reason } = answer.state;
      // A freeze from before the first answer may be of any age.
      if (freeze?.reason !== reason) freeze = { reason, since: freeze && reason !== null ? context.clock.now() : null };
    }
    // A signer that is away stops no reading. Before its first answer its wallets are unknown.
    if (!wallets) throw answer.error;
    try {
      await read(context, row, wallets);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      context.log.warn({ err: error, network: chain.network }, 'the newest blocks cannot be read for outflows now');
    }
    const frozenSince = freeze?.since ?? null;
    const { watch } = openAddressBook(context, chain, { row, openOnly: false });
    const depositsAmong = (addresses: readonly string[]): Promise<ReadonlySet<string>> => watch.among(addresses);
    const waiting = { chain, chainId: row.id, signer, wallets, depositsAmong, frozenSince };
    if (answer.state) await freezeForWaiting(context, waiting);
    // The worker records a step that fails, which alarms the operators. Also between two readings: a run that succeeds ends the alarm.
    const failure = answer.error ?? reader.failures.lasting(context.clock.now());
    if (failure) throw failure;
    return { more: false };
  };
}

async function stateOf(
  signer: FreezingSigner,
): Promise<{ state: SignerState | null; error: AddressSourceError | null }> {
  try {
    return { state: await signer.state(), error: null };
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    return { state: null, error };
  }
}

/** As transfers write addresses. */
function walletsOf({ spec }: FollowedChain, settings: Settings, state: SignerState): OwnWallets {
  const { storedAddress } = FAMILIES[spec.family];
  const wallets = ownWallets(spec, settings, state);
  // The signer sweeps to its own treasury until it is restarted with the worker's settings.
  const pinned = (state.sweeps ?? []).filter(
    (one) => one.environment === spec.environment && one.network === `${spec.network}@${spec.chain}`,
  );
  const treasuries = wallets.filter(({ roles }) => roles.includes('treasury') || roles.includes('former_treasury'));
  return {
    treasuries: new Set([
      ...treasuries.map(({ address }) => address),
      ...pinned.map(({ treasury }) => storedAddress(treasury)),
    ]),
    refundWallet: storedAddress(state.wallets[spec.environment][spec.family]),
    signing: new Set(wallets.filter(({ isSigners }) => isSigners).map(({ address }) => address)),
    all: new Set([...wallets.map(({ address }) => address), ...pinned.map(({ treasury }) => storedAddress(treasury))]),
  };
}

/** The refund wallet is compared by its account nonce on EVM networks, and by its transactions on Solana (lib/refunds). */
const coinWalletsOf = ({ spec }: FollowedChain, { signing, refundWallet }: OwnWallets): readonly string[] =>
  [...signing].filter((address) => spec.family === 'tron' || address !== refundWallet);

/** `accounts`: of deposit addresses, on a network that is read by account. */
type Watched = { readonly wallets: OwnWallets; readonly accounts: readonly DueAddress[] | null };

function guardOf(context: Context, chain: FollowedChain, row: ChainRow, { wallets, accounts }: Watched): Guard {
  const book = openAddressBook(context, chain, { row, openOnly: false });
  return {
    watch: {
      among: async (addresses) => {
        const deposits = await book.watch.among(addresses);
        return new Set([...deposits, ...addresses.filter((one) => wallets.signing.has(one))]);
      },
      dueAddresses: async () => accounts ?? [],
    },
    coinWallets: coinWalletsOf(chain, wallets),
    unexplained: async (found) => {
      const outgoing = found.filter(({ payer }) => !book.isForeign(payer));
      if (outgoing.length === 0) return [];
      const hashes = [...new Set(outgoing.map(({ transactionHash }) => transactionHash))];
      const { stored, ...known } = await readKnown(context.pool, { chainId: row.id, hashes, now: context.clock.now() });
      const recipients = outgoing.filter(({ currency }) => isCoin(currency)).map(({ recipient }) => recipient);
      const sweepRecipients =
        // On Solana a sweep pays fees, and rent for accounts of the treasury.
        chain.spec.family === 'solana' || recipients.length === 0
          ? new Set(recipients)
          : await book.watch.among(recipients);
      const unexplained = unexplainedAmong(outgoing, wallets, { ...known, sweepRecipients });
      return unexplained.filter(({ transactionHash }) => !stored.has(transactionHash));
    },
  };
}

async function store(context: Context, chain: FollowedChain, row: ChainRow, transfer: FoundTransfer): Promise<void> {
  const { environment, network } = chain;
  const { payer, recipient, currency, transactionHash } = transfer;
  if (!(await storeOutflow(context.pool, { chainId: row.id, transfer, now: context.clock.now() }))) return;
  const about = { environment, network, address: payer, recipient, currency, transactionHash };
  context.log.error(about, 'money left a wallet of this installation without an intent');
}
