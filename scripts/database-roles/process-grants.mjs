// What web and worker may write of the worker's processes: which run, whose turn a step is, and which steps fail (grants.mjs).

const OWN = { insert: '*', update: '*', delete: /** @type {const} */ (true) };

/** @type {Record<string, import('./grants.mjs').Grant>} */
export const PROCESSES_OF_WEB = { step_failures: {}, step_turns: {}, worker_processes: {} };

/** @type {Record<string, import('./grants.mjs').Grant>} */
export const PROCESSES_OF_WORKER = {
  step_failures: { insert: '*', update: '*' },
  step_turns: OWN,
  worker_processes: OWN,
};
