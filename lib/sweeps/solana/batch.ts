// Plans sweeps on Solana: which addresses can be swept now, six to a transaction, what it costs, and what has to come before.

import {
  batchMessage,
  MOST_DEPOSITS,
  openingMessage,
  sweepCost,
  unsignedSweep,
  type BatchSweep,
} from '@/lib/networks/families/solana/sweeping/sweep-transaction';
import type { Token } from '@/lib/networks/networks';
import { LEAST_SHARE } from '@/lib/signer/client';
import { centsOf, openCosts } from '@/lib/sweeps/costs';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { isAffordable, readySince, type Candidate } from '@/lib/sweeps/rules';
import { excludeStuck, postponeFailing, type Leaving } from './exclude';
import type { SolanaRun } from './run';
import { startSweep, type Planned } from './send';
import { readSources } from './sources';

/** Units may cost this many micro-lamports. Above that, sweeps wait until the deadline after they could go. */
const USUAL_PRICE = 100_000n;
/** Programs differ by release, and an account may be created again before the block. */
const [UNITS_MORE, UNITS_OF] = [130, 100];
const LEAST_UNITS = 5000;
const TRIED_UNITS = 200_000;

type Terms = Awaited<ReturnType<SolanaRun['solana']['chain']['terms']>>;
/** `spent`: what the signer counts of the run so far. */
type Prepared = { readonly token: Token; readonly terms: Terms; readonly coin: bigint; readonly spent: bigint };
/** The addresses of one transaction. */
type Group = { readonly items: readonly Leaving[]; readonly close: boolean };

/** Sends the transactions of one run. Returns why they cannot go, or null. */
export async function sendBatches(run: SolanaRun, batch: readonly Candidate[]): Promise<SweepHold | null> {
  const { solana, wallets, sweeping, context } = run;
  const currency = batch[0]?.currency ?? '';
  const token = solana.spec.tokens[currency];
  if (!token) throw new Error(`there is no ${currency} on ${solana.spec.network}`);
  const { treasury, active: sponsor } = wallets;
  const sources = await readSources(run, batch, token.contract);
  const {
    states,
    treasury: state,
    coin,
  } = await solana.chain.accounts(sources, { treasury, sponsor, mint: token.contract });
  if (state === 'blocked') return 'treasury_blocked';
  const ready = await excludeStuck(run, sources, states);
  if (ready.length === 0) return null;
  const terms = await solana.chain.terms({ treasury, mint: token.contract });
  const late = context.clock.now().getTime() - sweeping.rules.deadline;
  if (terms.unitPrice > USUAL_PRICE && ready.every((one) => readySince(one) > late)) return 'fee_too_high';
  const prepared = { token, terms, coin, spent: 0n };
  if (state === 'missing') return openAccount(run, prepared, currency);
  let [left, spent] = [coin, 0n];
  for (const group of groupsOf(ready)) {
    const sent = await sendGroup(run, group, { ...prepared, coin: left, spent });
    if (sent.hold) return sent.hold;
    left -= sent.cost;
    spent += counted(run, sent.cost);
  }
  return null;
}

/**
 * Six addresses to a transaction, those apart whose accounts stay open. One that was in a failed transaction goes alone, and its account
 * stays open too: closing fails when tokens arrive in between.
 */
function groupsOf(ready: readonly Leaving[]): readonly Group[] {
  const fresh = ready.filter(({ skips }) => skips === 0);
  const sixes = (close: boolean): Group[] => {
    const items = fresh.filter(({ isClosed }) => isClosed === close);
    const starts = Array.from({ length: Math.ceil(items.length / MOST_DEPOSITS) }, (_, at) => at * MOST_DEPOSITS);
    return starts.map((start) => ({ items: items.slice(start, start + MOST_DEPOSITS), close }));
  };
  const alone = ready.filter(({ skips }) => skips > 0).map((one): Group => ({ items: [one], close: false }));
  return [...sixes(true), ...sixes(false), ...alone];
}

/** The treasury's account of a token is opened once, before the first sweep. */
async function openAccount(
  run: SolanaRun,
  { token, terms, coin }: Prepared,
  currency: string,
): Promise<SweepHold | null> {
  const { solana, wallets } = run;
  const fields = fieldsOf(run, token, terms);
  const tried = await solana.chain.simulate(unsignedSweep(openingMessage({ ...fields, unitLimit: TRIED_UNITS })));
  if ('error' in tried) return coin < terms.leastCoin + terms.accountRent ? 'sponsor_low' : refused(run, tried.error);
  const units = { unitLimit: limitOf(tried.units), unitPrice: terms.unitPrice };
  if (coin < sweepCost(units, 0) + terms.leastCoin) return 'sponsor_low';
  if (!isInBudget(run, counted(run, sweepCost(units, 0)))) return 'budget';
  const request = { kind: 'deploy' as const, contract: token.contract };
  return startSweep(run, { ...terms, ...units, sender: wallets.active, request, currency, items: [] });
}

async function sendGroup(
  run: SolanaRun,
  { items, close }: Group,
  { token, terms, coin, spent }: Prepared,
): Promise<{ readonly hold: SweepHold | null; readonly cost: bigint }> {
  const { solana, wallets, sweeping, context } = run;
  const deposits = items.map(({ address, amount, account }) => ({
    owner: address,
    amount,
    account: account ?? undefined,
  }));
  const sweep: BatchSweep = { ...fieldsOf(run, token, terms), unitLimit: TRIED_UNITS, deposits, close };
  if (coin < sweepCost(sweep, items.length) + terms.leastCoin) return { hold: 'sponsor_low', cost: 0n };
  const tried = await solana.chain.simulate(unsignedSweep(batchMessage(sweep)));
  if ('error' in tried) {
    await postponeFailing(run, items, tried.error);
    return { hold: null, cost: 0n };
  }
  const units = { unitLimit: limitOf(tried.units), unitPrice: terms.unitPrice };
  const cost = sweepCost(units, items.length);
  if (!isInBudget(run, spent + counted(run, cost))) return { hold: 'budget', cost: 0n };
  const costs = await openCosts(context.pool, solana.spec, context.clock.now());
  if (!isAffordable(sweeping.rules, items, centsOf(costs, cost))) return { hold: 'fee_too_high', cost: 0n };
  const request: Planned['request'] = {
    kind: 'batch',
    contract: token.contract,
    deposits: items.map(({ addressIndex: index, amount, account }) => ({
      index,
      amount: amount.toString(),
      ...(account === null ? {} : { account }),
    })),
    close,
  };
  const currency = items[0]?.currency ?? null;
  return {
    hold: await startSweep(run, { ...terms, ...units, sender: wallets.active, request, currency, items }),
    cost,
  };
}

const fieldsOf = ({ wallets }: SolanaRun, { contract: mint, decimals }: Token, { blockhash, unitPrice }: Terms) => ({
  sponsor: wallets.active,
  treasury: wallets.treasury,
  mint,
  decimals,
  blockhash,
  unitPrice,
});

const limitOf = (units: number): number =>
  Math.min(TRIED_UNITS, Math.max(LEAST_UNITS, Math.ceil((units * UNITS_MORE) / UNITS_OF)));

/** Asks the signer for nothing that it would refuse. Its own count decides. */
const isInBudget = ({ wallets }: SolanaRun, fees: bigint): boolean =>
  BigInt(wallets.feesLastHour) + fees <= BigInt(wallets.feesPerHour);

/** What the signer counts toward the budget for a transaction that may cost this much. */
function counted({ solana }: SolanaRun, cost: bigint): bigint {
  const least = solana.spec.feeCap / LEAST_SHARE;
  return cost > least ? cost : least;
}

function refused({ context, solana }: SolanaRun, error: string): SweepHold {
  const { network, environment } = solana.spec;
  context.log.error({ network, environment, error }, 'the account of the treasury cannot be opened');
  return 'treasury_blocked';
}
