// Settings that a production installation must not start with, each with one sentence that says what happens and what to do.
// Pure. `npm start`'s sandbox is exempt, and so is a process that only this machine reaches.

import type { Config } from './config';

type Settings = Pick<
  Config,
  | 'SANDBOX_ORIGIN'
  | 'PUBLIC_URL'
  | 'TRUSTED_PROXIES'
  | 'DIRECT_CLIENTS'
  | 'WEBHOOKS_TO_LOOPBACK'
  | 'LIMIT_LOOPBACK'
  | 'endpoints'
>;

/** Whether real money or visitors from elsewhere can reach the installation. */
export const isProduction = ({ SANDBOX_ORIGIN, PUBLIC_URL, endpoints }: Settings): boolean =>
  SANDBOX_ORIGIN === undefined && (PUBLIC_URL.startsWith('https:') || hasLiveNetwork({ endpoints }));

export const hasLiveNetwork = ({ endpoints }: Pick<Settings, 'endpoints'>): boolean =>
  [...endpoints.keys()].some((setting) => setting.startsWith('LIVE_'));

/** One sentence for each unsafe setting; none for a safe installation. */
export function unsafeSettings(config: Settings): readonly string[] {
  if (!isProduction(config)) return [];
  const { PUBLIC_URL, TRUSTED_PROXIES, DIRECT_CLIENTS, WEBHOOKS_TO_LOOPBACK, LIMIT_LOOPBACK } = config;
  const isTls = PUBLIC_URL.startsWith('https:');
  const sentences: readonly (readonly [isUnsafe: boolean, sentence: string])[] = [
    [
      isTls && TRUSTED_PROXIES.length === 0 && !DIRECT_CLIENTS,
      'TRUSTED_PROXIES is not set: every visitor would have the address of your TLS proxy, and one of them could lock out all. Set it to the proxy’s address range, or set DIRECT_CLIENTS=on if clients connect to this process without a proxy.',
    ],
    [
      !isTls,
      'PUBLIC_URL does not begin with https: passwords, cookies and API keys would travel in the clear. Put a TLS proxy in front and set PUBLIC_URL to its address.',
    ],
    [
      WEBHOOKS_TO_LOOPBACK,
      'WEBHOOKS_TO_LOOPBACK is on: a merchant could send requests to this machine’s own services. Remove it; it is for tests.',
    ],
    [
      !LIMIT_LOOPBACK,
      'LIMIT_LOOPBACK is off: requests that come through a proxy on this machine have no rate limit. Remove it; it is for tests.',
    ],
  ];
  return sentences.flatMap(([isUnsafe, sentence]) => (isUnsafe ? [sentence] : []));
}

/** Throws an Error that lists every unsafe setting. */
export function refuseUnsafeSettings(config: Settings): void {
  const sentences = unsafeSettings(config);
  if (sentences.length > 0) throw new Error(`These settings are unsafe:\n  ${sentences.join('\n  ')}`);
}
