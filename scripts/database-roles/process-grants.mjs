// What web and worker may write about the running of the installation (grants.mjs): which processes run, whose turn a step is, which steps
// fail, which files hold removed rows, how the objectives are met, the totals of the overview, and resets of an operator's sign-in, which the
// owner's role requests.

const OWN = { insert: '*', update: '*', delete: /** @type {const} */ (true) };

/** @type {Record<string, import('./grants.mjs').Grant>} */
export const PROCESSES_OF_WEB = {
  archives: {},
  objective_hours: OWN,
  operator_resets: { update: 'canceled_at canceled_by' },
  session_total_changes: {}, // Written by a trigger with the owner's rights.
  session_total_days: {},
  session_totals: {},
  step_failures: {},
  step_turns: {},
  worker_processes: {},
};

/** @type {Record<string, import('./grants.mjs').Grant>} */
export const PROCESSES_OF_WORKER = {
  archives: { insert: '*' },
  objective_hours: OWN,
  operator_resets: {},
  session_total_changes: { delete: true },
  session_total_days: OWN,
  session_totals: OWN,
  step_failures: { insert: '*', update: '*' },
  step_turns: OWN,
  worker_processes: OWN,
};
