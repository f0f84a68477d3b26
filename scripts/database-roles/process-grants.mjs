// What web and worker may write about the running of the installation (grants.mjs): which processes run, which files hold removed rows, whose turn a step is, which steps
// fail, how the objectives are met, and resets of an operator's sign-in, which the owner's role requests.

const OWN = { insert: '*', update: '*', delete: /** @type {const} */ (true) };

/** @type {Record<string, import('./grants.mjs').Grant>} */
export const PROCESSES_OF_WEB = {
  archives: {},
  objective_hours: OWN,
  operator_resets: { update: 'canceled_at canceled_by' },
  step_failures: {},
  step_turns: {},
  worker_processes: {},
};

/** @type {Record<string, import('./grants.mjs').Grant>} */
export const PROCESSES_OF_WORKER = {
  archives: { insert: '*' },
  objective_hours: OWN,
  operator_resets: {},
  step_failures: { insert: '*', update: '*' },
  step_turns: OWN,
  worker_processes: OWN,
};
