// Tries what a set-up says before it is written down: the endpoints of a network, as the doctor does, and the mail server with a mail.
// The addresses are the operator's own, and nodes are often in a private network, so none is refused. That is safe because only the
// server's administrator and a freshly proven operator of an installation that is being set up can name one, and because a
// finding says in the doctor's words how an endpoint fared and never repeats what it answered.

import { createTransport } from 'nodemailer';
import type { ChainDeps } from '@/lib/networks/registry';
import type { Config, EndpointSetting } from '@/lib/platform/config/config';
import type { Finding } from '@/lib/installation/doctor/findings';
import type { Environment } from '@/lib/platform/ids';
import { networkFindings } from '@/lib/installation/doctor/surroundings';
import { withTls } from '@/lib/merchants/mail/send';
import { mailTrouble } from '@/lib/merchants/mail/trouble';
import { withSettings } from './candidate';
import { NAMES } from './names';
import type { Settings } from './plan';

const TIMEOUT_MS = 10_000;

/** A network of one of the environments. */
export type Place = { readonly network: string; readonly environment: Environment };

/** How the endpoints of one network fare. Throws an Error with one sentence for each fault of the settings. */
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
  // Those of the installation as a whole are not about this network.
  return findings.filter(({ check }) => check === network);
}

/** Sends a mail; why it was not taken, as a code alone because the server's words may hold addresses, or null when it was. */
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
    return mailTrouble(error);
  } finally {
    transport.close();
  }
}
