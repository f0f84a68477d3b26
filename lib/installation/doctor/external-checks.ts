// The doctor's checks of the service's surroundings: endpoints, signer, mail server, public address and disk. Each returns
// findings, never throws, and has a timeout.

import { statfs } from 'node:fs/promises';
import { createTransport } from 'nodemailer';
import { ChainError } from '@/lib/networks/chain';
import { openChains, sendingOptions, type ChainDeps, type OpenedChain } from '@/lib/networks/registry';
import { unixSeconds, type Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import { signerOf } from '@/lib/installation/freeze/step';
import { withTls } from '@/lib/merchants/mail/send';
import { mailFailureCode } from '@/lib/merchants/mail/failure-code';
import { settingsContradiction } from '@/lib/refunds/settings-check';
import { hasLiveNetwork, isProduction, unfinishedSettings } from '@/lib/platform/config/unsafe-settings';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { addressSource } from '@/lib/treasury/wallets/open-address-source';
import { isPublicWallet, PUBLIC_WALLET } from '@/lib/treasury/wallets/public-wallet';
import { authorizationFindings } from './authorizations';
import type { Finding } from './findings';
import { refundTrouble } from './refund-trouble';
import { certificateFindings, hsmFindings } from './signer-checks';
import { sweepFindings } from './sweeps';

const TIMEOUT_MS = 10_000;
/** Every network produces a block within a minute. */
const OLD_BLOCK_SECONDS = 600;
const STILL_SYNCING = 'Wait until the node has read the whole chain: payments are found only then.';
/** Enough for a day of logs and a small database. */
const LEAST_FREE_MB = 2048;
const MEGABYTE = 1_048_576n;

/** One finding for each endpoint of each network. */
export async function networkFindings(config: Config, deps: ChainDeps): Promise<readonly Finding[]> {
  const chains = openChains(config, deps);
  const found = await Promise.all(
    chains.map(async (chain) => {
      const findings = await endpointFindings(chain, deps.clock);
      return [...findings, ...(await refundFindings(config, deps, chain))];
    }),
  );
  const pairs = chains.filter(
    ({ environment, endpoints }) => environment === 'live' && endpoints.health().length === 2,
  );
  if (config.AGREEMENT_ENDPOINTS === 2) found.push(pairs.map(({ network }) => pairFinding(network)));
  if (!unfinishedSettings(config).includes('network')) return found.flat();
  const message = 'no live network has an endpoint, so no live payment can be created';
  return [...found.flat(), { check: 'networks', state: 'warn', message, todo: 'Set LIVE_TRON_URLS and its like.' }];
}

const pairFinding = (network: string): Finding => ({
  check: network,
  state: 'warn',
  message:
    'live has two endpoints and both have to agree, so either of them can stop payments by contradicting the other',
  todo: 'Add a third endpoint of another provider.',
});

async function endpointFindings(
  { environment, network, adapter, endpoints }: OpenedChain,
  clock: Clock,
): Promise<Finding[]> {
  const check = network;
  let height = '';
  let isOld = false;
  // In parallel: several endpoints that hang take no longer than one.
  await endpoints.check();
  try {
    if (endpoints.health().some(({ state }) => state === 'ok' || state === 'lagging')) {
      const { tip, final } = await adapter.head();
      const age = unixSeconds(clock.now()) - tip.time;
      isOld = age > OLD_BLOCK_SECONDS;
      height = `newest block ${tip.number}${isOld ? `, ${Math.trunc(age / 60)} minutes old` : ''}, final ${final.number}`;
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  return endpoints.health().map(({ position, state, message }): Finding => {
    const name = `${environment} endpoint ${position}`;
    if (state === 'ok' && isOld) return { check, state: 'warn', message: `${name}: ${height}`, todo: STILL_SYNCING };
    if (state === 'ok') return { check, state: 'ok', message: `${name}: ${height}` };
    const setting = `${environment}_${network}_URLS`.toUpperCase();
    const todo = `Check the address, the key and the plan of entry ${position} of ${setting}.`;
    const why = (message ?? state).replace(`endpoint ${position} `, '');
    return { check, state: state === 'lagging' ? 'warn' : 'fail', message: `${name}: ${why}`, todo };
  });
}

/** One finding for each endpoint that finds payments but could not send a refund. */
async function refundFindings(config: Config, deps: ChainDeps, chain: OpenedChain): Promise<Finding[]> {
  const { environment, network, endpoints } = chain;
  const { urls, budgets, heads, ...options } = sendingOptions(config, deps, chain);
  const found = endpoints.health().map(async ({ position, state }): Promise<Finding[]> => {
    const at = position - 1;
    const url = urls[at];
    if (state !== 'ok' || url === undefined) return [];
    const only = {
      ...options,
      urls: [url],
      needed: 1,
      budgets: budgets?.slice(at, position),
      heads: heads?.slice(at, position),
    };
    const trouble = await refundTrouble(only);
    if (trouble === null) return [];
    const message = `${environment} endpoint ${position} finds payments, but no refund can be sent through it: ${trouble.replace('endpoint 1 ', '')}`;
    return [
      {
        check: network,
        state: 'warn',
        message,
        todo: 'Ask its provider for a plan that has this method and the state of final blocks, or take another endpoint.',
      },
    ];
  });
  return (await Promise.all(found)).flat();
}

const NO_WORDS: Finding = {
  check: 'words',
  state: 'warn',
  message: 'no operator has confirmed that the recovery words of the wallet are written down',
  todo: 'Run npm run setup -- words at the server, or node dist/signer.mjs words at the signer’s terminal.',
};

/** The signer that the settings name. */
export async function signerFindings(config: Config, now: Date): Promise<readonly Finding[]> {
  const check = 'signer';
  const signer = signerOf(config);
  if (!signer) {
    const message = 'SIGNER_SOCKET is not set: no refund is signed with these settings';
    const todo = 'Start a signer and set SIGNER_SOCKET for the worker. The web process needs none.';
    return [isProduction(config) ? { check, state: 'warn', message, todo } : { check, state: 'ok', message }];
  }
  try {
    const state = await signer.state();
    const why = settingsContradiction(config, state);
    const free = BigInt(state.journal.freeBytes) / MEGABYTE;
    return [
      state.frozen
        ? {
            check,
            state: 'fail',
            message: `frozen: ${state.reason}`,
            todo: 'Read docs/operate.md, “After a machine was restored”.',
          }
        : { check, state: 'ok', message: `answers, ${state.journal.records} records in its journal` },
      ...hsmFindings(state.hsm),
      ...(why === null ? [] : [{ check, state: 'fail', message: why } as const]),
      ...sweepFindings(config, state),
      ...authorizationFindings(config, state),
      ...certificateFindings(config, now),
      ...(state.wordsConfirmed === false && isProduction(config) ? [NO_WORDS] : []),
      diskFinding('journal', free),
    ];
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    const { message: why } = (error.cause ?? error) as Error;
    const message = `it does not answer: ${why}`;
    return [{ check, state: 'fail', message, todo: 'Start the signer; see its log.' }];
  }
}

/**
 * Whether the recovery words of the live wallet are publicly known. A source that does not answer is reported by the signer's
 * finding.
 */
export async function walletFindings(config: Config): Promise<readonly Finding[]> {
  if (!hasLiveNetwork(config)) return [];
  try {
    if (!(await isPublicWallet(addressSource(config)))) return [];
  } catch (error) {
    if (error instanceof AddressSourceError) return [];
    throw error;
  }
  const todo = 'Start with a new keystore, or with public keys of a wallet of your own, and with a new database.';
  return [{ check: 'wallet', state: 'fail', message: PUBLIC_WALLET, todo }];
}

/** Connects to the mail server and signs in, but sends nothing. */
export async function mailFindings({ SMTP_URL, ...config }: Config): Promise<readonly Finding[]> {
  const check = 'mail';
  if (SMTP_URL === undefined) {
    const message = 'SMTP_URL is not set: mails stay in the database';
    const todo = 'Set SMTP_URL, or hand links over yourself (operator console, Users).';
    return [isProduction(config) ? { check, state: 'warn', message, todo } : { check, state: 'ok', message }];
  }
  const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport(withTls(SMTP_URL), limits as object);
  try {
    await transport.verify();
    const isSignedIn = new URL(SMTP_URL).username !== '';
    return [
      {
        check,
        state: 'ok',
        message: `the mail server answers${isSignedIn ? ', and takes our name and password' : ''}`,
      },
    ];
  } catch (error) {
    const trouble = mailFailureCode(error);
    const message = `the mail server cannot be used (${trouble})`;
    const todo =
      trouble === 'ETLS'
        ? 'Check the encryption: smtps:// is for TLS from the first byte (port 465), smtp:// for STARTTLS (port 587).'
        : 'Check host, port, TLS, name and password in SMTP_URL.';
    return [{ check, state: 'fail', message, todo }];
  } finally {
    transport.close();
  }
}

/** Whether the public address leads to this installation. */
export async function originFindings({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): Promise<readonly Finding[]> {
  const check = 'address';
  const todo = 'Check the name, the certificate and the proxy, and that web is running.';
  try {
    const answer = await fetch(`${PUBLIC_URL}/health`, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const isWell = answer.status === 200 && (await answer.text()) === '{"status":"ok"}';
    return isWell
      ? [{ check, state: 'ok', message: `${PUBLIC_URL} leads to web` }]
      : [{ check, state: 'fail', message: `${PUBLIC_URL}/health answers ${answer.status}`, todo }];
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: unknown }; name: string };
    const why = typeof cause?.code === 'string' ? cause.code : name;
    return [{ check, state: 'fail', message: `${PUBLIC_URL} cannot be reached (${why})`, todo }];
  }
}

/** The disk of the installation's data, or of this program if the data are elsewhere. */
export async function diskFindings(directory: string): Promise<readonly Finding[]> {
  const { bavail, bsize } = await statfs(directory, { bigint: true });
  return [diskFinding('disk', (bavail * bsize) / MEGABYTE)];
}

function diskFinding(check: string, freeMb: bigint): Finding {
  const message = `${freeMb} MB are free`;
  if (freeMb >= LEAST_FREE_MB) return { check, state: 'ok', message };
  return { check, state: 'warn', message, todo: `Free space until ${LEAST_FREE_MB} MB are left.` };
}
