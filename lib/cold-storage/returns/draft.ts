// Drafts the transfers of a request on the present state of the chain, by the kind of the cold wallet that the chain shows: a plain account
// signs them itself, a TRON account by the keys of a permission, a Safe by its owners. A vault does not lead back to its Squads multisig, so
// the operator names it and the members who sign.

import { openAccount, type AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { Item } from '@/lib/cold-storage/accounts/item';
import type { SafeTerms } from '@/lib/cold-storage/accounts/safe';
import { addressText } from '@/lib/cold-storage/accounts/safe-transaction';
import { membersObstacle, type SquadsTerms } from '@/lib/cold-storage/accounts/squads';
import type { TronPermissionTerms } from '@/lib/cold-storage/accounts/tron-permission';
import { isKey, isOnCurve, keyBytes } from '@/lib/networks/families/solana/address';
import { vaultIndexOf } from '@/lib/networks/families/solana/squads/program';
import type { NetworkSpec } from '@/lib/networks/networks';
import { SAFE_VERSIONS, type SafeExecution, type SafeState } from '@/lib/networks/sending/safe';
import type { Draft, PaymentOrder } from '@/lib/networks/sending/send';
import { ReturnRefused } from './refusal';
import { MAX_ITEMS } from './request-file';
import type { ReturnChain } from './rows';
import { readTronTerms } from './tron-terms';

export type Wanted = { readonly currency: string; readonly amount: bigint };

export type ReturnWallets = { readonly cold: string; readonly refund: string };

export type Drafting = {
  readonly wallets: ReturnWallets;
  readonly transfers: readonly Wanted[];
  /** On Solana one durable nonce account for each transfer. */
  readonly nonceAccounts: readonly string[];
  /** Who executes the transfer of a Safe. Null: its owners do it in another program. */
  readonly executor: string | null;
  /** The permission of a TRON account whose keys sign. Null: the one that may move tokens is chosen. */
  readonly permission: number | null;
  /** The Squads multisig of which the cold wallet is a vault, and its members who sign, the proposer first. Null: it is no vault. */
  readonly squads: NamedSquads | null;
};

export type NamedSquads = { readonly multisig: string; readonly members: readonly string[] };

export type DraftedRequest = { readonly terms: AccountTerms | null; readonly items: readonly Item[] };

type Safe = Extract<SafeState, { kind: 'safe' }>;

/** The cold wallet as a Safe; null if one key signs for it. Throws ReturnRefused for any other contract. */
export async function readColdSafe({ sender, spec }: ReturnChain, cold: string): Promise<Safe | null> {
  const state = await sender.safes?.state(cold);
  if (!state || state.kind === 'wallet') return null;
  if (state.kind === 'safe') return state;
  const what = state.version === null ? '' : ` of version ${state.version}`;
  throw new ReturnRefused(
    `The cold wallet ${cold} on ${spec.network} is a contract${what}, and no Safe of version ${SAFE_VERSIONS.join(' or ')}.`,
  );
}

/** Throws ReturnRefused, a SendHold or SendRefused with the reason why a transfer would fail now, or a ChainError. */
export async function draftRequest(
  chain: ReturnChain,
  id: string,
  { safe, ...wanted }: Drafting & { readonly safe: Safe | null },
): Promise<DraftedRequest> {
  const { spec } = chain;
  checkSigner(spec, wanted);
  checkWanted(spec, wanted);
  const terms = await readTronTerms(chain, wanted.wallets.cold, wanted.permission);
  if (safe) return draftOfSafe(chain, id, { safe, ...wanted });
  if (wanted.executor !== null) throw new ReturnRefused('Only a Safe has an executor.');
  if (wanted.squads) return draftOfSquads(chain, id, { ...wanted, squads: wanted.squads });
  const drafts = await ownDrafts(chain, id, { ...wanted, terms });
  const items = drafts.map(({ intentId, from, unsigned }) =>
    describeItem(spec, { intent: intentId, from, unsigned }, terms),
  );
  return { terms, items };
}

/** Transactions that the account itself signs, with one key or with several. */
async function ownDrafts(
  { spec, sender }: ReturnChain,
  id: string,
  { terms, ...wanted }: Drafting & { readonly terms: TronPermissionTerms | null },
): Promise<readonly Draft[]> {
  // All keys may sign, and each signature costs.
  const permission = terms ? { id: terms.id, signatures: terms.keys.length } : undefined;
  const { wallets, transfers, nonceAccounts } = wanted;
  const first = spec.family === 'evm' ? await sender.nextNonce(wallets.cold) : 0;
  const drafts: Draft[] = [];
  for (const [index, transfer] of transfers.entries()) {
    const before = transfers.slice(0, index);
    const tokens = before.reduce((sum, one) => sum + (one.currency === transfer.currency ? one.amount : 0n), 0n);
    drafts.push(
      await sender.draft(orderOf(spec, transfer, wallets.refund, `${id}_${index + 1}`), wallets.cold, {
        ...(spec.family === 'evm' ? { nonce: first + index } : {}),
        unmined: { payments: index, tokens },
        lasting: { nonceAccount: nonceAccounts[index] ?? null, permission },
      }),
    );
  }
  return drafts;
}

async function draftOfSafe(
  { spec, sender }: ReturnChain,
  id: string,
  { safe, wallets, transfers, executor }: Drafting & { readonly safe: Safe },
): Promise<DraftedRequest> {
  const [transfer, ...others] = transfers;
  if (!transfer || others.length > 0) throw new ReturnRefused('A request to a Safe has one transfer.');
  if (!sender.safes) throw new Error(`${spec.network} has no Safes`);
  const by = executor === null ? null : await executorOf(sender, executor);
  const intent = `${id}_1`;
  const { threshold, owners, nonce } = safe;
  const drafted = await sender.safes.draft({
    order: orderOf(spec, transfer, wallets.refund, intent),
    ...{ safe: wallets.cold, nonce, threshold, executor: by },
  });
  const terms: SafeTerms = {
    ...{ kind: 'safe', version: safe.version, threshold, owners: [...owners] },
    execution: drafted.execution && executionText(drafted.execution),
  };
  const item = describeItem(spec, { intent, from: wallets.cold, unsigned: drafted.unsigned }, terms);
  const hash = Buffer.from(openAccount(spec, wallets.cold, terms).payload(item)).toString('hex');
  if (`0x${hash}` !== drafted.hash)
    throw new ReturnRefused(`The Safe computes the safeTxHash ${drafted.hash}, and this program 0x${hash}.`);
  return { terms, items: [item] };
}

async function draftOfSquads(
  { spec, sender }: ReturnChain,
  id: string,
  { squads: { multisig, members }, wallets, transfers, nonceAccounts }: Drafting & { readonly squads: NamedSquads },
): Promise<DraftedRequest> {
  const { cold, refund } = wallets;
  const [[transfer, ...others], [nonceAccount]] = [transfers, nonceAccounts];
  if (!transfer || nonceAccount === undefined || others.length > 0)
    throw new ReturnRefused('A request to a Squads vault has one transfer.');
  if (!sender.squads) throw new ReturnRefused(`${spec.network} has no Squads multisig.`);
  const vaultIndex = isKey(multisig) ? vaultIndexOf(multisig, cold) : null;
  if (vaultIndex === null) throw new ReturnRefused(`The cold wallet ${cold} is no vault of the multisig ${multisig}.`);
  const state = await sender.squads.state(multisig);
  if (!state) throw new ReturnRefused(`There is no Squads multisig ${multisig} on ${spec.network}.`);
  const obstacle = membersObstacle(state, members);
  if (obstacle !== null) throw new ReturnRefused(obstacle);
  const terms: SquadsTerms = { kind: 'squads', recipient: refund, members: [...members] };
  const intent = `${id}_1`;
  const order = orderOf(spec, transfer, refund, intent);
  const place = { vault: cold, multisig, vaultIndex, index: state.lastIndex + 1 };
  const unsigned = await sender.squads.draft({ order, ...place, members, nonceAccount });
  return { terms, items: [describeItem(spec, { intent, from: cold, unsigned }, terms)] };
}

async function executorOf(sender: ReturnChain['sender'], text: string): Promise<string> {
  const address = addressText(text);
  if (address === null) throw new ReturnRefused(`"${text}" is not an address that can execute a transfer.`);
  if ((await sender.kindOf(address)) === 'contract')
    throw new ReturnRefused(`The executor ${text} is a contract. It must be an account with a key.`);
  return address;
}

const executionText = (execution: SafeExecution): NonNullable<SafeTerms['execution']> => ({
  executor: execution.executor,
  nonce: execution.nonce,
  maxFeePerGas: String(execution.maxFeePerGas),
  maxPriorityFeePerGas: String(execution.maxPriorityFeePerGas),
  gasLimit: String(execution.gasLimit),
});

/** Only a program signs for an address off the curve, such as the vault of a Squads multisig. */
function checkSigner(
  { family, network }: NetworkSpec,
  { wallets: { cold, refund }, squads }: Pick<Drafting, 'wallets' | 'squads'>,
): void {
  const bytes = family === 'solana' ? keyBytes(cold) : null;
  if (bytes && !isOnCurve(bytes) && !squads)
    throw new ReturnRefused(
      `The cold wallet ${cold} on ${network} has no key: it belongs to a program, such as a Squads multisig. ` +
        `Name the multisig and the members who sign (--multisig ADDRESS --member ADDRESS ...). Or let its members send ` +
        `the tokens to the refund wallet ${refund} in Squads. That arrival is booked as your funding.`,
    );
}

function checkWanted(
  spec: NetworkSpec,
  { transfers, nonceAccounts, squads }: Pick<Drafting, 'transfers' | 'nonceAccounts' | 'squads'>,
): void {
  if (transfers.length === 0 || transfers.length > MAX_ITEMS)
    throw new ReturnRefused(`A request has 1 to ${MAX_ITEMS} transfers.`);
  const isSolana = spec.family === 'solana';
  if (isSolana && nonceAccounts.length !== transfers.length)
    throw new ReturnRefused(
      `On Solana name one durable nonce account for each transfer (--nonce ACCOUNT). Its authority must be ${squads ? 'the first member' : 'the cold wallet'}.`,
    );
  if (!isSolana && nonceAccounts.length > 0) throw new ReturnRefused('Only Solana has nonce accounts.');
}

function orderOf(spec: NetworkSpec, { currency, amount }: Wanted, to: string, intentId: string): PaymentOrder {
  const contract = spec.tokens[currency]?.contract;
  if (contract === undefined) throw new ReturnRefused(`${spec.network}@${spec.chain} has no ${currency}.`);
  return { intentId, currency, contract, to, amount };
}
