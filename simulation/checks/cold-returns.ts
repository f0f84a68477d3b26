// Returns of the cold wallet, judged by the simulated chains and by what the operator signed: the money arrives once and only in the refund
// wallet, it is booked once, nothing else leaves the cold wallet, and every signed return ends.

import type { ChainTransfer, SimulatedChain } from '@/simulation/chain/chain';
import { currencyOf } from '@/simulation/chain/units';
import type { ReturnRow } from '@/simulation/cold/rows';
import { COLD, WALLET } from '@/simulation/parties';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';

type Left = ChainTransfer & { readonly chain: SimulatedChain; readonly id: string | null };

/** What left the cold wallets, without what the operator sent by another program. `id`: the return that was signed. */
const leftCold = ({ chains, records: { returns } }: World): readonly Left[] =>
  chains.flatMap((chain) =>
    chain
      .transfers(chain.height())
      .filter(({ payer, hash }) => payer === COLD[chain.spec.family] && !returns.sentElsewhere.has(hash))
      .map((one) => {
        const signed = returns.signed.find(({ network, hash }) => network === chain.network && hash === one.hash);
        return { ...one, chain, id: signed?.id ?? null };
      }),
  );

/** Each transfer is one that the operator requested and signed, pays the refund wallet exactly that, and left once. */
export const returnsPayOnce: Check = ({ world, story }) => {
  const left = leftCold(world);
  return left.flatMap(({ chain, id, token, recipient, amount }, index) => {
    const signed = world.records.returns.signed.find((one) => one.id === id);
    const currency = currencyOf(chain, token);
    if (!signed) return [`${amount} base units of ${currency} left the cold wallet of ${chain.network} unrequested`];
    const own = story.name('return', signed.id);
    const isExact = recipient === WALLET[chain.spec.family] && amount === signed.amount && currency === signed.currency;
    return [
      ...(isExact ? [] : [`${own} over ${signed.amount} base units of ${signed.currency} paid something else`]),
      ...(left.findIndex((one) => one.id === id) < index ? [`${own} was paid twice`] : []),
    ];
  });
};

/** Every return says what the chain says, and its arrival is booked once. */
export const returnsTellTheTruth: Check = (checked) => {
  const { world, after, story } = checked;
  const left = leftCold(world);
  return [
    ...after.cold_returns.flatMap((row) =>
      faultsOf(
        checked,
        row,
        left.filter(({ id }) => id === row.id),
      ).map((fault) => `${story.name('return', row.id)} ${fault}`),
    ),
    ...bookFaults(checked),
  ];
};

function faultsOf({ world }: Checked, row: ReturnRow, paid: readonly Left[]): string[] {
  const { id, outcome, amount, landed_hash: hash, booked } = row;
  const { givenUp } = world.records.returns;
  const isBacked = paid.some(
    (one) => one.hash === hash && one.amount === BigInt(amount) && one.blockNumber <= one.chain.final(),
  );
  const final = givenUp.get(id);
  const isLate = final !== undefined && paid.some(({ blockNumber }) => blockNumber > final);
  // A restored database may not know that it was signed.
  const isForgotten = outcome === 'superseded' && world.isRestored;
  const isUnpaid = outcome === 'reverted' || outcome === 'lapsed' || (outcome === 'superseded' && !isForgotten);
  return [
    ...(outcome === 'landed' && !isBacked ? ['has landed, and no final transaction pays it'] : []),
    ...(outcome === 'landed' && booked !== amount ? [`has landed, and ${booked} of ${amount} are booked`] : []),
    ...(outcome !== 'landed' && booked !== null ? [`is booked, and it is ${outcome ?? 'open'}`] : []),
    ...(isUnpaid && paid.length > 0 ? [`is ${outcome} and was paid`] : []),
    ...(outcome === 'given_up' && isLate ? ['was given up while it could still land'] : []),
  ];
}

/** The ledger has no entry of a return that has not landed. */
const bookFaults = ({ after }: Checked): string[] =>
  after.wallet_books
    .filter(({ kind }) => kind === 'cold_return')
    .flatMap(({ network, currency, amount }) => {
      const landed = after.cold_returns
        .filter((one) => one.network === network && one.currency === currency && one.outcome === 'landed')
        .reduce((sum, one) => sum + BigInt(one.amount), 0n);
      return BigInt(amount) === landed
        ? []
        : [`the ledger has ${amount} base units of ${currency} on ${network} as returns, ${landed} have landed`];
    });

const isOpen = ({ is_signed: isSigned, outcome }: ReturnRow): boolean => isSigned && outcome === null;

/** While a signed return is open, no transfer of another request is signed on its network. */
export const oneReturnIsOpen: Check = ({ after }) => {
  const open = after.cold_returns.filter(isOpen);
  return [...new Set(open.map(({ network }) => network))]
    .filter((network) => new Set(open.filter((one) => one.network === network).map((one) => one.request_id)).size > 1)
    .map((network) => `returns of two requests are signed and open on ${network}`);
};

/** Every signed return ends. */
export const returnsEnd: Check = ({ after, story }) =>
  after.cold_returns.filter(isOpen).map(({ id }) => `${story.name('return', id)} never ends`);
