// Tries a set-up before it is written: the endpoints of a network, as the doctor does, and the mail server with a mail. No
// address is refused: they are the operator's own, and nodes are often in a private network. That is safe for two reasons. Only
// the server's administrator and a freshly verified operator of an open set-up can name an address. A finding uses the doctor's
// texts and never repeats an endpoint's answer.

import { createTransport } from 'nodemailer';
import type { ChainDeps } from '@/lib/networks/registry';
import type { Config, EndpointSetting } from '@/lib/platform/config/config';
import type { Finding } from '@/lib/installation/doctor/findings';
import type { Environment } from '@/lib/platform/ids';
import { networkFindings } from '@/lib/installation/doctor/external-checks';
import { withTls } from '@/lib/merchants/mail/send';
import { mailFailureCode } from '@/lib/merchants/mail/failure-code';
import { withSettings } from './candidate';
import { NAMES } from './names';
import type { Settings } from './plan';

const TIMEOUT_MS = 10_000;

/** A network of one of the environments. */
export type Place = { readonly network: string; readonly environment: Environment };

/** Tries the endpoints of one network. Throws an Error with one sentence for each faulty setting. */
export async function tryNetwork(
  config: Config,
  deps: ChainDeps,
  { network, environment, settings }: Place & { readonly settings: Settings },
): Promise<readonly Finding[]> {
  const wanted = new Set<string>([NAMES.urls(network, environment), NAMES.budgets(network, environment)]);
  const candidate = withSettings(config, settings);
  const only = <Name extends string>(all: ReadonlyMap<Name, readonly string[]>) =>
    new Map([...all].filter(([name]) => wanted.has(name)));
  const findings = await networkFindings(
    { ...candidate, endpoints: only<EndpointSetting>(candidate.endpoints), budgets: only(candidate.budgets) },
    deps,
  );
  // Findings about the whole installation do not concern this network.
  return findings.filter(({ check }) => check === network);
}

/**
 * Sends a mail. Returns null when it was accepted, or else the reason as a code, because the server's text may hold addresses.
 */
export async function tryMail(
  { SMTP_URL = '', MAIL_FROM = '' }: Settings,
  mail: { readonly to: string; readonly subject: string; readonly text: string },
): Promise<string | null> {
  const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport(withTls(SMTP_URL), limits as object);
  try {
    await transport.sendMail({ ...mail, from: MAIL_FROM, disableFileAccess: true, disableUrlAccess: true });
    return null;
  } catch (error) {
    return mailFailureCode(error);
  } finally {
    transport.close();
  }
}
