// The set-up in the operator's browser. Each part is tried as typed and saved in the settings file. At the end the file's state
// changes, and the set-up is closed: `npm start` removes the settings and the file from the web process. A process without the
// file has no set-up either.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { excessOf, readRole, SEPARATE_ROLES } from '@/lib/platform/database/role';
import { transaction } from '@/lib/platform/database/db';
import type { Finding } from '@/lib/installation/doctor/findings';
import { ServiceError } from '@/lib/platform/errors/errors';
import { readFreeze } from '@/lib/installation/freeze/request';
import { STANDARD_NETWORKS } from '@/lib/networks/networks';
import type { Environment } from '@/lib/platform/ids';
import { mailText } from '@/lib/merchants/mail/texts';
import { unsafeSettings } from '@/lib/platform/config/unsafe-settings';
import { withSettings } from './candidate';
import { NAMES } from './names';
import {
  limitSettings,
  mailSettings,
  networkSettings,
  parts,
  readPart,
  signerSettings,
  type LimitsGiven,
  type MailGiven,
  type NetworkGiven,
  type Settings,
} from './plan';
import type { AddressContext } from '@/lib/refunds/customer-address/kind';
import { LIVE_NETWORKS } from './live-networks';
import { refusedTreasury, type TreasuryRefusal, type TypedTreasury } from './check-treasury';
import { treasuryOf, treasurySettings, TREASURY_SETTINGS } from './treasury';
import { readSetupFile, writeSetupFile, type SetupState } from './settings-file';
import { tryMail, tryNetwork, type Place } from './try';

/** The actor, for the audit log. */
export type SetupActor = { readonly by: string; readonly address: string };

/** `isSingle`: a live network with one endpoint, which no second one confirms. `default` stands for several. */
type NetworkView = Place & { readonly endpoints: number; readonly isSingle: boolean };

/** What the page shows. It never contains an endpoint's address or a password. */
export type SetupView = {
  readonly networks: readonly NetworkView[];
  readonly mailFrom: string | null;
  /** In cents; null until they were saved. */
  readonly limits: Readonly<Record<'perRefund' | 'perHour' | 'perDay' | 'approvalAbove', bigint>> | null;
  /** The wallet to which the money of each shown network goes; null without one. */
  readonly treasury: readonly { readonly network: string; readonly address: string | null }[];
  /** These wallets are those of the installation's only merchant. */
  readonly isDirect: boolean;
  /** `none`: deposit addresses come from public keys, so this installation has no wallet. */
  readonly words: 'confirmed' | 'open' | 'none';
  /** Why web would not start with a live network: its address is not https, and so on. */
  readonly obstacles: readonly string[];
};

/** Null when no set-up is open. */
export async function readSetupView(context: Pick<Context, 'pool' | 'config'>): Promise<SetupView | null> {
  const settings = openSettings(context.config);
  if (!settings) return null;
  const cents = (name: string) => BigInt(settings[name] ?? 0);
  return {
    networks: placesOf(settings).map((place) => networkView(settings, place)),
    mailFrom: settings.MAIL_FROM ?? null,
    limits:
      settings.SIGNER_CENTS_PER_REFUND === undefined
        ? null
        : {
            perRefund: cents('SIGNER_CENTS_PER_REFUND'),
            perHour: cents('SIGNER_CENTS_PER_HOUR'),
            perDay: cents('SIGNER_CENTS_PER_DAY'),
            approvalAbove: cents('REFUND_APPROVAL_ABOVE'),
          },
    treasury: shownNetworks(settings).map((network) => ({ network, address: treasuryOf(settings, network) })),
    isDirect: settings.DIRECT_SETTLEMENT === 'on',
    words: await recoveryWordsOf(context),
    obstacles: await obstaclesOf(context, { LIVE_ETHEREUM_URLS: 'default' }),
  };
}

export const isSetupOpen = (config: Config): boolean => openSettings(config) !== null;

/**
 * Tries the endpoints of a network and saves them if none failed. Without endpoints the network is removed. Throws NOT_FOUND
 * when no set-up is open, and INVALID_PARAMETER.
 */
export async function saveNetwork(
  context: Context,
  actor: SetupActor,
  { network, environment, ...given }: NetworkGiven & Place,
): Promise<{ readonly isSaved: boolean; readonly findings: readonly Finding[] }> {
  if (!shownNetworks(needOpen(context.config)).includes(network))
    throw new ServiceError('INVALID_PARAMETER', { param: 'network' });
  const place = { network, environment };
  const part = environment === 'live' ? network : `test ${network}`;
  if (given.endpoints.length === 0) {
    await save(context, actor, { part, gone: namesOf(place), settings: {} });
    return { isSaved: true, findings: [] };
  }
  const settings = networkSettings(network, environment, readPart(parts.network, given));
  const { config } = context;
  const [obstacle] = await obstaclesOf(context, settings);
  if (obstacle !== undefined) throw new ServiceError('INVALID_PARAMETER', { param: 'endpoints', message: obstacle });
  const findings = await tryNetwork(config, context, { ...place, settings }).catch((error: Error) => {
    // Invalid budgets or addresses: the message names the setting.
    throw new ServiceError('INVALID_PARAMETER', { param: 'endpoints', message: error.message, cause: error });
  });
  if (findings.some(({ state }) => state === 'fail')) return { isSaved: false, findings };
  await save(context, actor, { part, gone: namesOf(place), settings });
  return { isSaved: true, findings };
}

/** Sends a test mail and saves the mail server if it accepted the mail. `trouble`: the code of its refusal. */
export async function saveMail(
  context: Context,
  actor: SetupActor,
  { to, locale, ...given }: MailGiven & { readonly to: string; readonly locale: string | null },
): Promise<{ readonly trouble: string | null }> {
  needOpen(context.config);
  const settings = mailSettings(readPart(parts.mail, given));
  const { subject, body } = mailText('SetupTest', { link: `${context.config.PUBLIC_URL}/operator/setup` }, locale);
  const trouble = await tryMail(settings, { to, subject, text: body });
  if (trouble === null) await save(context, actor, { part: 'mail', settings });
  return { trouble };
}

export async function saveLimits(context: Context, actor: SetupActor, given: LimitsGiven): Promise<void> {
  needOpen(context.config);
  await save(context, actor, { part: 'limits', settings: limitSettings(readPart(parts.limits, given)) });
}

/** Saves the wallets to which the money goes, by network, or says why not. Without any, the money stays at the deposit addresses. */
export async function saveTreasury(
  context: AddressContext,
  actor: SetupActor,
  given: TypedTreasury,
): Promise<TreasuryRefusal | null> {
  const config = withSettings(context.config, needOpen(context.config));
  const refused = await refusedTreasury({ ...context, config }, given);
  if (refused) return refused;
  const settings = treasurySettings(readPart(parts.treasury, given.wallets), given.isDirect);
  await save(context, actor, { part: 'treasury', gone: TREASURY_SETTINGS, settings });
  return null;
}

/**
 * Closes the set-up permanently. Throws INVALID_PARAMETER while a live network or the written-down recovery words are missing.
 */
export async function finishSetup(context: Context, actor: SetupActor): Promise<void> {
  const settings = needOpen(context.config);
  const missing = await missingParts(context, settings);
  if (missing !== null) throw new ServiceError('INVALID_PARAMETER', { param: missing });
  const [obstacle] = await obstaclesOf(context, settings);
  if (obstacle !== undefined) throw new ServiceError('INVALID_PARAMETER', { param: 'networks', message: obstacle });
  await save(context, actor, { part: 'finish', settings: addressOf(context.config), state: 'finished' });
}

/** Where this installation was started, so that the next start needs only its data directory. */
const addressOf = ({ PUBLIC_URL, HOST, PORT, TRUSTED_PROXIES, DIRECT_CLIENTS }: Config): Settings => ({
  ...{ PUBLIC_URL, HOST, PORT: String(PORT) },
  ...(TRUSTED_PROXIES.length > 0 && { TRUSTED_PROXIES: TRUSTED_PROXIES.join(' ') }),
  ...(DIRECT_CLIENTS && { DIRECT_CLIENTS: 'on' }),
});

/** Why web would not start with these settings, which name a live network: one sentence for each obstacle. */
async function obstaclesOf({ pool, config }: Pick<Context, 'pool' | 'config'>, settings: Settings): Promise<string[]> {
  const excess = excessOf(await readRole(pool));
  return [
    ...unsafeSettings(withSettings(config, settings)),
    ...(excess === null ? [] : [`${excess}. ${SEPARATE_ROLES}`]),
  ];
}

async function missingParts(context: Context, settings: Settings): Promise<'networks' | 'words' | null> {
  if (savedNetworks(settings, 'live').length === 0) return 'networks';
  return (await recoveryWordsOf(context)) === 'open' ? 'words' : null;
}

async function recoveryWordsOf({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<SetupView['words']> {
  if (config.WATCH_ONLY_EVM_XPUB !== undefined) return 'none';
  return (await readFreeze(pool)).areWordsConfirmed === true ? 'confirmed' : 'open';
}

type Saved = {
  readonly part: string;
  readonly settings: Settings;
  /** Former settings that are removed. */
  readonly gone?: readonly string[];
  readonly state?: SetupState;
};

/** Reads and writes the file synchronously, so that two tabs do not overwrite each other's changes. */
async function save({ pool, config, clock }: Context, actor: SetupActor, saved: Saved): Promise<void> {
  await transaction(pool, async (tx) => {
    const entry = { actor: actor.by, storeId: null, action: 'setup.save', target: saved.part, address: actor.address };
    await recordAudit(tx, { ...entry, now: clock.now() });
    const kept = without(needOpen(config), saved.gone ?? []);
    const settings = { ...kept, ...saved.settings };
    const signer = signerSettings({ live: savedNetworks(settings, 'live'), test: savedNetworks(settings, 'test') });
    writeSetupFile(config.SETUP_FILE ?? '', { state: saved.state ?? 'open', settings: { ...settings, ...signer } });
  });
}

const without = (settings: Settings, gone: readonly string[]): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !gone.includes(name)));

/** The settings of a network, and `SIGNER_NETWORKS`, which is derived from those of all networks. */
const namesOf = ({ network, environment }: Place): readonly string[] => [
  ...[NAMES.urls(network, environment), NAMES.budgets(network, environment), 'SIGNER_NETWORKS'],
  ...(network === 'tron' ? [NAMES.tronKey(environment)] : []),
];

const ENVIRONMENTS = ['live', 'test'] as const;

/** The page offers the standard networks, and shows the others that the settings file names. */
const shownNetworks = (settings: Settings): readonly string[] => {
  const saved = ENVIRONMENTS.flatMap((environment) => savedNetworks(settings, environment));
  return LIVE_NETWORKS.filter((network) => STANDARD_NETWORKS.includes(network) || saved.includes(network));
};

const placesOf = (settings: Settings): readonly Place[] =>
  ENVIRONMENTS.flatMap((environment) => shownNetworks(settings).map((network) => ({ network, environment })));

function networkView(settings: Settings, place: Place): NetworkView {
  const endpoints = endpointsOf(settings, place);
  const isSingle = place.environment === 'live' && endpoints.length === 1 && endpoints[0] !== 'default';
  return { ...place, endpoints: endpoints.length, isSingle };
}

const savedNetworks = (settings: Settings, environment: Environment): readonly string[] =>
  LIVE_NETWORKS.filter((network) => endpointsOf(settings, { network, environment }).length > 0);

const endpointsOf = (settings: Settings, { network, environment }: Place): readonly string[] =>
  (settings[NAMES.urls(network, environment)] ?? '').split(' ').filter((one) => one !== '');

function openSettings({ SETUP_FILE: file }: Config): Settings | null {
  const found = file === undefined ? null : readSetupFile(file);
  return found?.state === 'open' ? found.settings : null;
}

function needOpen(config: Config): Settings {
  const settings = openSettings(config);
  if (!settings) throw new ServiceError('NOT_FOUND');
  return settings;
}
