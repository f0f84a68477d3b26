// The worker's steps that screen addresses, one per network that has a source. Each registers the senders of money that deposit addresses
// hold, leases what is due, asks the sources outside any transaction, and stores what they answered. Any number of workers may run it.

import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Context, Step } from '@/lib/platform/context';
import { askList } from './list/read';
import { oracleOf, sourcesOf, ROLES, type Source } from './policy';
import { registerSenders, type Walk } from './register';
import { leaseDue, storeAnswer, MAX_LEASED, type LeasedScreening } from './rows';
import { combine, type Answer } from './sources/answer';
import { openBreaker, type Breaker } from './sources/breaker';
import { askHook } from './sources/hook';
import { openOracle, type Oracle } from './sources/oracle';

const [LOCAL_MILLISECONDS, PUBLIC_MILLISECONDS] = [500, 2000];
/** Addresses that are asked about concurrently, so that one slow answer holds up few others. */
const AT_ONCE = 8;

/** A network that is screened. It is opened once per process. */
export type Screening = { readonly spec: NetworkSpec; readonly oracle: Oracle | null; readonly known?: Walk };

type Opening = ChainDeps & Pick<Context, 'config'>;

/** One step per followed network with a source; none without sources. Throws an Error for an unusable setting. */
export function screeningSteps(
  context: Opening,
  chains: readonly FollowedChain[],
): { readonly name: string; readonly run: Step; readonly everyMilliseconds: number }[] {
  const { config } = context;
  return chains.flatMap((chain) => {
    const { environment, network, spec } = chain;
    if (ROLES.every((role) => sourcesOf(config, spec, role).length === 0)) return [];
    const contract = oracleOf(config, spec);
    const oracle = contract === null ? null : openOracle(contract, sendingOptions(config, context, chain));
    const everyMilliseconds = spec.chain === 'local' ? LOCAL_MILLISECONDS : PUBLIC_MILLISECONDS;
    const known = { allAt: Number.NEGATIVE_INFINITY };
    const run: Step = (given) => runScreening(given, { spec, oracle, known });
    return [{ name: `screen ${environment} ${network}`, run, everyMilliseconds }];
  });
}

/** One bounded run over a network. An error is thrown after all other work is done. */
export async function runScreening(context: Context, screening: Screening): Promise<{ more: boolean }> {
  const { pool, clock, config } = context;
  const { spec, known } = screening;
  const { environment, network } = spec;
  const errors: unknown[] = [];
  const collect = (error: unknown) => void errors.push(error);
  if (sourcesOf(config, spec, 'sender').length > 0)
    await registerSenders(pool, { environment, network, now: clock.now() }, known).catch(collect);
  const leased = await leaseDue(pool, { environment, network, now: clock.now() });
  if (leased.length > 0) await screenAll(context, screening, leased, collect);
  if (errors.length > 0) throw errors[0];
  return { more: leased.length === MAX_LEASED };
}

async function screenAll(
  context: Context,
  screening: Screening,
  leased: readonly LeasedScreening[],
  collect: (error: unknown) => void,
): Promise<void> {
  const { pool, clock } = context;
  const { environment, family } = screening.spec;
  const addresses = leased.map(({ address }) => address);
  const listed = await askList(context, family, addresses);
  const breaker = await openBreaker(pool, environment, clock.now());
  const oracle = screening.oracle && oncePerAddress(screening.oracle);
  const queue = leased.map((row, at) => ({ row, listed: listed[at] as Answer }));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      // An unexpected error leaves this row to its next lease, and the other rows go on.
      await screenOne(context, { screening: { ...screening, oracle }, breaker, ...next }).catch(collect);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await breaker.store(clock.now());
}

/** Many small payments of one sender cost one question. */
function oncePerAddress(ask: Oracle): Oracle {
  const asked = new Map<string, ReturnType<Oracle>>();
  return (address) => {
    const answer = asked.get(address) ?? ask(address);
    asked.set(address, answer);
    return answer;
  };
}

type One = {
  readonly screening: Screening;
  readonly breaker: Breaker;
  readonly row: LeasedScreening;
  readonly listed: Answer;
};

async function screenOne(context: Context, one: One): Promise<void> {
  const { pool, config, clock, log } = context;
  const { row, screening } = one;
  const sources = sourcesOf(config, screening.spec, row.role);
  const answers = await Promise.all(
    sources.map(async (source) => ({ source, answer: await askSource(context, one, source) })),
  );
  const combined = combine(answers);
  const stored = await storeAnswer(pool, row, combined, clock.now());
  if (!stored || combined.verdict !== 'hit') return;
  const { environment, network } = screening.spec;
  log.warn(
    { environment, network, screening: row.id, role: row.role, source: combined.source },
    'a screened address is a hit: an operator has to decide',
  );
}

async function askSource(context: Context, { screening, breaker, row, listed }: One, source: Source): Promise<Answer> {
  switch (source) {
    case 'list':
      return listed;
    case 'oracle':
      return screening.oracle
        ? screening.oracle(row.address)
        : { verdict: 'unknown', reason: 'the oracle is not open in this process' };
    case 'hook': {
      const { environment, network } = screening.spec;
      const { address, role, transactionHash } = row;
      const transaction = transactionHash === '' ? null : transactionHash;
      return breaker.call(() => askHook(context, { environment, network, address, role, transaction }));
    }
    default:
      return source satisfies never;
  }
}
