// The worker's step that checks the wallets of one network: every hour whether an issuer blocks one of them, and on TRON several times a
// minute who may sign for it. A wallet or token whose check fails delays no other. Any number of workers may run it.

import { ChainError } from '@/lib/networks/chain';
import { openIssuerBlocks, openSender, type IssuerBlocks } from '@/lib/networks/families/clients';
import { stopsSigning, type NetworkSpec } from '@/lib/networks/networks';
import type { SendingOptions } from '@/lib/networks/registry';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Context, Step } from '@/lib/platform/context';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { ownWallets, type OwnWallet } from './list';
import { changeBetween, changeFromOneKey, freezeReason, type Permissions } from './permissions';
import {
  isChangeAcknowledged,
  readWallets,
  storeBlocks,
  storePermissions,
  storeWallets,
  type StoredWallet,
} from './rows';

/** How often the step runs. */
export const OWN_WALLETS_MILLISECONDS = 5000;
const BLOCKS_MILLISECONDS = 3_600_000;
/** While a wallet is blocked, and after a check that failed. */
const RETRY_MILLISECONDS = 60_000;
/** With the step's own interval and the requests, a change freezes the signer within a minute. */
export const PERMISSIONS_MILLISECONDS = 45_000;

export type Checking = {
  readonly spec: NetworkSpec;
  /** Null without a signer. */
  readonly signer: Pick<SignerClient, 'state' | 'freeze'> | null;
  readonly isBlocked: IssuerBlocks;
  readonly sender: Pick<ChainSender, 'permissions'>;
};

/** Opens the endpoints. No request is sent before the first run. Throws an Error for an unusable endpoint URL. */
export function ownWalletsStep(options: SendingOptions, signerSocket: string | undefined): Step {
  const signer = signerSocket === undefined ? null : new SignerClient(signerSocket);
  return checkOwnWallets({
    ...{ spec: options.spec, signer, isBlocked: openIssuerBlocks(options) },
    sender: openSender(options),
  });
}

/** The same with given parts. It keeps only which wallets this process has asked about, and when it last tried. */
export function checkOwnWallets(checking: Checking): Step {
  const asked = new Set<string>();
  const tried = new Map<string, number>();
  return async (context) => {
    const now = context.clock.now();
    const { spec, signer } = checking;
    const { environment, network } = spec;
    const state = signer ? await signer.state().catch(unreachable) : null;
    const wallets = ownWallets(spec, context.config, state);
    await storeWallets(context.pool, { environment, network }, { wallets, isWhole: !signer || state !== null, now });
    const stored = await readWallets(context.pool, { environment, network });
    const run = { context, checking, state };
    const isDue = (what: string, pause: number): boolean => {
      const isOver = Math.abs(now.getTime() - (tried.get(what) ?? -Infinity)) >= pause;
      if (isOver) tried.set(what, now.getTime());
      return isOver;
    };
    await Promise.all(
      wallets.map(async (wallet) => {
        const known = stored.find(({ address }) => address === wallet.address);
        if (!known) return;
        if (checking.sender.permissions && isDue(`permissions ${wallet.address}`, PERMISSIONS_MILLISECONDS))
          await guarded(run, 'the permissions', () => checkPermissions(run, wallet, known));
        const areBlocksDue = !asked.has(wallet.address) || isOld(known, now);
        if (wallet.holdsTokens && areBlocksDue && isDue(`blocks ${wallet.address}`, RETRY_MILLISECONDS))
          await guarded(run, 'a block', async () => {
            await checkBlocks(run, wallet, known);
            asked.add(wallet.address);
          });
      }),
    );
    return { more: false };
  };
}

type Run = { readonly context: Context; readonly checking: Checking; readonly state: SignerState | null };

function isOld({ askedAt, blocked }: StoredWallet, now: Date): boolean {
  const age = Math.abs(now.getTime() - (askedAt?.getTime() ?? -Infinity));
  return age >= (blocked.length > 0 ? RETRY_MILLISECONDS : BLOCKS_MILLISECONDS);
}

/** A token whose issuer does not answer keeps what was known of it, and the wallet is asked about again soon. */
async function checkBlocks(run: Run, { address }: OwnWallet, known: StoredWallet): Promise<void> {
  const { context, checking } = run;
  const { environment, network, tokens } = checking.spec;
  const answers = await Promise.allSettled(
    Object.values(tokens).map(({ contract }) => checking.isBlocked(contract, address)),
  );
  const blocked = Object.keys(tokens).filter((currency, at) => {
    const answer = answers[at];
    return answer?.status === 'fulfilled' ? answer.value : known.blocked.includes(currency);
  });
  const failed = answers.find((answer) => answer.status === 'rejected');
  const at = failed ? null : context.clock.now();
  await storeBlocks(context.pool, { environment, network, address }, { blocked, at });
  if (blocked.join() !== known.blocked.join())
    context.log.warn({ environment, network, address, blocked }, 'what issuers block of our wallets changed');
  if (failed) throw failed.reason;
}

/**
 * An account of the signer has one key, its own; another permission freezes the signer once, and again when it changes. A wallet of the
 * operator keeps the permissions of the first reading, until an operator acknowledges the alarm about others.
 */
async function checkPermissions(run: Run, wallet: OwnWallet, known: StoredWallet): Promise<void> {
  const { context, checking } = run;
  const { address, isSigners } = wallet;
  const { environment, network } = checking.spec;
  const place = { environment, network, address };
  const permissions = await checking.sender.permissions?.(address, 'newest');
  if (!permissions) return;
  const at = context.clock.now();
  const store = (change: ReturnType<typeof changeBetween>, accepted: Permissions | null): Promise<void> =>
    storePermissions(context.pool, place, { permissions, accepted, change, at });
  if (isSigners) {
    const change = changeFromOneKey(address, permissions);
    if (change === null) return store(null, null);
    const isNew = !known.accepted || changeBetween(known.accepted, permissions) !== null;
    // Stored first, so that a signer that does not answer delays no alarm.
    await store(change, isNew ? null : known.accepted);
    if (isNew && (await freeze(run, freezeReason({ address, network }, change, permissions))))
      await store(change, permissions);
    return;
  }
  const accepted = known.accepted ?? permissions;
  const change = changeBetween(accepted, permissions);
  await store(change, accepted);
  if (change !== null && (await isChangeAcknowledged(context.pool, place))) await store(null, permissions);
}

/** Whether the signer is frozen for this reason, so that an operator who resumes signing has read it. */
async function freeze({ context, checking, state }: Run, reason: string): Promise<boolean> {
  const { spec, signer } = checking;
  const { environment, network } = spec;
  context.log.error({ environment, network, reason }, 'the permissions of a wallet of the signer changed');
  if (!signer || !stopsSigning(spec)) return false;
  // While it is frozen for another reason, an operator who resumes signing would not learn of this one.
  if (state?.frozen && state.reason !== reason) return false;
  await signer.freeze(reason);
  return (await signer.state()).reason === reason;
}

/** Neither message contains an endpoint's address or a key. */
async function guarded({ context, checking }: Run, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof AddressSourceError)) throw error;
    const { environment, network } = checking.spec;
    context.log.warn({ environment, network, err: error }, `${what} of one of our wallets cannot be read now`);
  }
}

function unreachable(error: unknown): null {
  if (error instanceof AddressSourceError) return null;
  throw error;
}
