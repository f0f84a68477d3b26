// Which of the worker's steps a process runs (WORKER_STEPS), so that several processes on several machines share the work. An entry is a
// group, a group on one network (`watch:tron`), or the name of one step with dashes (`send-mails`).

import type { NamedStep } from '../named-step';

export const GROUPS = ['watch', 'pay', 'guard', 'deliver', 'maintain'] as const;
export type StepGroup = (typeof GROUPS)[number];

/** By the beginnings of names. Every other step is of `maintain`. */
const MEMBERS: Readonly<Record<Exclude<StepGroup, 'maintain'>, readonly string[]>> = {
  // What a payment passes from the chain to its session.
  watch: [
    ...['watch live ', 'watch test ', 'balances ', 'screen ', 'endpoints of ', 'fee of ', 'fetch exchange rates'],
    ...['expire sessions', 'store quarantined transfers', 'settle quarantined sessions', 'quarantine frozen money'],
  ],
  // What the signer is needed for: deposit addresses, refunds, payouts, sweeps.
  pay: [
    ...[
      'freeze switch',
      'refunds ',
      'correct payment times',
      'sweep ',
      'fill the address pool',
      'announce payout addresses',
    ],
    ...['request scheduled payouts', 'request cold transfers', 'follow cold returns'],
  ],
  // What compares wallets, ledger and audit log with what they should be.
  guard: [
    ...['guard the wallets ', 'own wallets ', 'reconcile ', 'book outflows', 'book coins', 'prove the reserves'],
    ...['record the wallets', 'watch the audit log'],
  ],
  deliver: ['deliver webhooks', 'tell of paused endpoints', 'clear webhook hours'],
};

/** They store what this process counted, so every process runs them. */
const OF_EVERY_PROCESS = ['tend security events', 'store request usage'];
/** The step of a single pass in the place of which the worker delivers continuously. */
export const DELIVERY_STEP = 'deliver webhooks';

type Named = Pick<NamedStep, 'name'>;

export const groupOf = ({ name }: Named): StepGroup =>
  GROUPS.find((group) => group !== 'maintain' && MEMBERS[group].some((start) => name.startsWith(start))) ?? 'maintain';

/** The steps that the entries name; all without entries. Throws an Error for an entry that names none. */
export function selectSteps<Step extends Named>(entries: readonly string[], steps: readonly Step[]): Step[] {
  if (entries.length === 0) return [...steps];
  const isChosen = entries.map((entry) => {
    const chosen = new Set(steps.filter((step) => isNamed(entry, step)));
    if (chosen.size === 0) throw new Error(faultOf(entry, steps));
    return chosen;
  });
  return steps.filter((step) => OF_EVERY_PROCESS.includes(step.name) || isChosen.some((chosen) => chosen.has(step)));
}

function isNamed(entry: string, step: Named): boolean {
  const [group, network] = entry.split(':');
  if (network !== undefined) return groupOf(step) === group && step.name.endsWith(` ${network}`);
  return groupOf(step) === entry || dashed(step) === entry;
}

const dashed = ({ name }: Named): string => name.replaceAll(' ', '-');

const faultOf = (entry: string, steps: readonly Named[]): string =>
  `WORKER_STEPS: "${entry.slice(0, 60)}" names no step of these settings. It takes ${GROUPS.join(', ')}, one of them with a network ` +
  `(watch:tron), or a step: ${steps.map(dashed).join(', ')}.`;
