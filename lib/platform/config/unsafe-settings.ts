// Settings with which an installation must not start. Each has one sentence that says what happens and what to do. Pure. A
// process that only its own machine reaches is exempt, and so is `npm start`'s sandbox while that holds.

import type { Config } from './config';
import { isOpenSandbox } from './own-sandbox';

type Settings = Pick<
  Config,
  | 'SANDBOX_ORIGIN'
  | 'HOST'
  | 'PUBLIC_URL'
  | 'TRUSTED_PROXIES'
  | 'DIRECT_CLIENTS'
  | 'WEBHOOKS_TO_LOOPBACK'
  | 'LIMIT_LOOPBACK'
  | 'endpoints'
>;
type WebSettings = Settings & Pick<Config, 'EVIDENCE_KEY' | 'CRON_SECRET'>;

/** Whether real money or visitors from elsewhere can reach the installation. */
export const isProduction = ({ SANDBOX_ORIGIN, PUBLIC_URL, endpoints }: Settings): boolean =>
  hasLiveNetwork({ endpoints }) || (SANDBOX_ORIGIN === undefined && PUBLIC_URL.startsWith('https:'));

export const hasLiveNetwork = ({ endpoints }: Pick<Settings, 'endpoints'>): boolean =>
  [...endpoints.keys()].some((setting) => setting.startsWith('LIVE_'));

const hasTestNetwork = ({ endpoints }: Pick<Settings, 'endpoints'>): boolean =>
  [...endpoints.keys()].some((setting) => setting.startsWith('TEST_'));

/** Settings that a public installation runs without but normally needs, for the doctor and the operator's first page. */
export function unfinishedSettings(
  config: Settings & { readonly SMTP_URL?: unknown },
): readonly ('network' | 'test_network' | 'mail')[] {
  if (!isProduction(config)) return [];
  return [
    ...(hasLiveNetwork(config) ? [] : (['network'] as const)),
    ...(hasTestNetwork(config) ? [] : (['test_network'] as const)),
    ...(config.SMTP_URL === undefined ? (['mail'] as const) : []),
  ];
}

/** One sentence for each unsafe setting; none for a safe installation. */
export function unsafeSettings(config: Settings): readonly string[] {
  if (isOpenSandbox(config)) return [OPEN_SANDBOX];
  if (!isProduction(config)) return [];
  const { PUBLIC_URL, TRUSTED_PROXIES, DIRECT_CLIENTS, WEBHOOKS_TO_LOOPBACK, LIMIT_LOOPBACK, SANDBOX_ORIGIN } = config;
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
      SANDBOX_ORIGIN !== undefined,
      'SANDBOX_ORIGIN is set although there are live networks: real payments would be priced by the sandbox’s made-up rates, and its test helpers and mails would be reachable. Start with SANDBOX=off, or remove the LIVE_ settings.',
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

const OPEN_SANDBOX =
  'The sandbox could be reached from other machines: anyone could read its mails, become its operator and send requests to this machine’s own services. Leave PUBLIC_URL and HOST at this machine’s own address, or start with SANDBOX=off.';

/** Throws an Error that lists every unsafe setting. */
export const refuseUnsafeSettings = (config: Settings): void => refuse(unsafeSettings(config));

/** The same for the web process, which strangers can reach. */
export function refuseUnsafeWeb(config: WebSettings): void {
  const { EVIDENCE_KEY, CRON_SECRET } = config;
  const isKeyUnused = EVIDENCE_KEY !== undefined && CRON_SECRET === undefined;
  const sentence =
    'EVIDENCE_KEY is set for the web process: an attacker who takes it over could forge proofs of payments. Remove it here; only the worker and the signer need it.';
  refuse([...unsafeSettings(config), ...(isProduction(config) && isKeyUnused ? [sentence] : [])]);
}

function refuse(sentences: readonly string[]): void {
  if (sentences.length > 0) throw new Error(`These settings are unsafe:\n  ${sentences.join('\n  ')}`);
}
