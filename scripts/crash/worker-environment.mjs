// The settings of one of several workers, each of which follows networks of its own.

/**
 * The settings `given` with the endpoints of these networks only. With `isBeside`, another worker runs the steps of no network. Any worker may
 * move money to cold wallets.
 * @param {Record<string, string>} given
 * @param {{ networks: string[], isBeside: boolean }} options
 */
export function workerEnvironment(given, { networks, isBeside }) {
  const own = networks.map((network) => `TEST_${network.toUpperCase()}_URLS`);
  const isForeign = (name) => /^(?:LIVE|TEST)_[A-Z]+_URLS$/.test(name) && !own.includes(name);
  const env = Object.fromEntries(Object.entries(given).filter(([name]) => !isForeign(name)));
  if (!isBeside) return env;
  const steps = networks.flatMap((network) => ['watch', 'pay', 'guard'].map((group) => `${group}:${network}`));
  return { ...env, WORKER_STEPS: [...steps, 'request-cold-transfers'].join(',') };
}
