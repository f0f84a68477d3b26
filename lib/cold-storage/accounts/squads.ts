// A vault of a Squads multisig as the cold wallet on Solana. As many members as its threshold sign one transaction, in which they create the
// transfer, approve it and execute it: it happens as the bytes say, or nothing happens. Pure.

import { z } from 'zod';
import { proposalFee, readProposal, signedProposal } from '@/lib/networks/families/solana/squads/read-proposal';
import { vaultAddress } from '@/lib/networks/families/solana/squads/program';
import type { NetworkSpec } from '@/lib/networks/networks';
import { BadDraft } from '@/lib/networks/sending/send';
import { MAX_MEMBERS, type SquadsMember, type SquadsState, type SquadsTransfer } from '@/lib/networks/sending/squads';
import { NOT_IN_BYTES, type ColdAccount, type Facts, type Item, type Unsigned } from './item';
import { isSignedOnSolana, MAX_COMPUTE_UNITS } from './plain';

const key = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

export const squadsShape = z.strictObject({
  kind: z.literal('squads'),
  /** The wallet that is paid. The bytes have its token account, which is derived from it. */
  recipient: key,
  /** Those who sign, as the bytes name them. The first one proposes, executes and pays. */
  members: z.array(key).min(1).max(MAX_MEMBERS),
});
export type SquadsTerms = z.output<typeof squadsShape>;

export function squadsAccount({ family, network }: NetworkSpec, terms: SquadsTerms): ColdAccount {
  if (family !== 'solana') throw new BadDraft(`${network} has no Squads multisig`);
  const { members, recipient } = terms;
  const signing = ({ unsigned }: Unsigned) => signedProposal(unsigned, recipient);
  return {
    signers: new Map(members.map((member) => [member, 1])),
    threshold: members.length,
    signerName: 'a member whom the request names',
    read: ({ unsigned }) => factsOf(readTransfer(unsigned, terms)),
    payload: (item) => signing(item).payload,
    isSignedBy: (item, signer, signature) => isSignedOnSolana(signing(item).payload, signer, signature),
    completion: {
      kind: 'signatures',
      finish: (item, signatures) =>
        signing(item).finish(members.map((member) => signatures.get(member) ?? new Uint8Array())),
    },
    shown: ({ unsigned }) => shownTransfer(readTransfer(unsigned, terms)),
    differences: differencesOf,
  };
}

/** What the vault sends, and in which transaction of its multisig. Throws BadDraft also where the file names other members than the bytes. */
export function readTransfer(unsigned: string, { members, recipient }: SquadsTerms): SquadsTransfer {
  const transfer = readProposal(unsigned, recipient);
  if (transfer.members.join() !== members.join())
    throw new BadDraft(`members: the file says ${members.join(', ')}, the bytes say ${transfer.members.join(', ')}`);
  if (transfer.unitLimit > MAX_COMPUTE_UNITS) throw new BadDraft('it may use more compute units than Solana allows');
  return transfer;
}

function factsOf(transfer: SquadsTransfer): Facts {
  const { multisig, vaultIndex, to, mint: contract, amount, decimals, nonceAccount, nonceValue } = transfer;
  return {
    ...{ ...NOT_IN_BYTES, from: vaultAddress(multisig, vaultIndex), to, contract, amount, decimals },
    ...{ feeCap: proposalFee(transfer), validity: { nonceAccount, nonceValue } },
  };
}

function shownTransfer({ multisig, vaultIndex, index, members }: SquadsTransfer): [string, string][] {
  return [
    ['multisig', multisig],
    ['vault', `${vaultIndex}, by transaction ${index} of the multisig`],
    ...members.map((member): [string, string] => ['member', member]),
    ['signers', 'all of these members; the first one pays the fee and the rent'],
  ];
}

const differencesOf = (items: readonly Item[]): string[] =>
  // The next transaction of the multisig is one, so a second transfer would need another multisig's.
  items.length === 1 ? [] : ['items: a request to a Squads vault has one transfer'];

/** Why these members could not bring it about now, as a sentence; null if they could. */
export function membersObstacle(
  { threshold, timeLock, members }: SquadsState,
  signing: readonly string[],
): string | null {
  if (timeLock > 0)
    return `The multisig has a time lock of ${timeLock} seconds, so its members cannot approve and execute in one transaction.`;
  if (threshold > MAX_MEMBERS)
    return `${threshold} members must approve, and one transaction has room for the signatures of ${MAX_MEMBERS}.`;
  const may = (what: keyof Omit<SquadsMember, 'address'>, address: string | undefined): boolean =>
    members.some((member) => member.address === address && member[what]);
  const [first] = signing;
  // A vote after the last one that is needed fails, and the transaction with it.
  if (new Set(signing).size !== threshold || signing.length !== threshold)
    return `${threshold} of its members must sign, and you name ${signing.length}. ${votersText(members)}`;
  const other = signing.find((address) => !may('votes', address));
  if (other !== undefined) return `${other} is not a member who may vote. ${votersText(members)}`;
  if (may('proposes', first) && may('executes', first)) return null;
  return `The first member ${first} must also be allowed to propose and to execute. ${votersText(members)}`;
}

function votersText(members: readonly SquadsMember[]): string {
  const named = members
    .filter(({ votes }) => votes)
    .map(({ address, proposes, executes }) => (proposes && executes ? address : `${address} (not as the first)`));
  return `Those can: ${named.join(', ')}.`;
}
