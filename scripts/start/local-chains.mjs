// The settings with which the service uses the sandbox: its chains, and the exchange rates that it serves.

const RATE_SOURCES = ['coinbase', 'kraken', 'binance', 'frankfurter', 'er-api'];

/**
 * @param {{ origin: string, networks: Record<string, { rpc_url: string }> }} chains the sandbox's ready line
 */
export function localChains({ origin, networks }) {
  const endpoints = Object.entries(networks).map(([network, { rpc_url: url }]) => [
    `TEST_${network.toUpperCase()}_URLS`,
    url,
  ]);
  return {
    TEST_CHAINS: 'local',
    ...Object.fromEntries(endpoints),
    SANDBOX_ORIGIN: origin,
    WEBHOOKS_TO_LOOPBACK: 'on',
    RATE_SOURCES: RATE_SOURCES.map((name) => `${name}=${origin}/rates/${name}`).join(' '),
  };
}
