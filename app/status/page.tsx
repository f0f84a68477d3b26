// The public status page: how far every network is read. It hides no problem and shows no endpoint address.

import type { Metadata } from 'next';
import { LanguageSwitch } from '@/components/ui/language-switch';
import { ProductMark } from '@/components/ui/marks';
import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import { pool } from '@/lib/platform/database/db';
import { getWords, type MessageKey, type Words } from '@/lib/i18n/translate';
import { daysOf, readHistory } from '@/lib/installation/status/history';
import { readStatus, type Status } from '@/lib/installation/status/read';
import { readServices, type ServiceStatus } from '@/lib/installation/status/services';
import './status.css';
import { NetworkDetails, NetworkRow, SERVICE_NAMES, ServiceDetails, ServiceRow, STATES } from './network-row';

const HEADLINES: Readonly<Record<Status['state'], MessageKey>> = {
  ok: 'systemOk',
  degraded: 'systemDegraded',
  down: 'systemDown',
};
const MARKS: Readonly<Record<Status['state'], string>> = { ok: 'good', degraded: 'warn', down: 'bad' };
const ENVIRONMENTS = [
  { environment: 'live', title: 'systemLive' },
  { environment: 'test', title: 'systemTest' },
] as const;

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await getWords();
  return { title: `${t('systemStatus')} – ${t('productName')}` };
}

export default async function StatusPage() {
  const deps = { pool: pool(), clock: systemClock, config: config() };
  const [status, services, history] = await Promise.all([readStatus(deps), readServices(deps), readHistory(deps)]);
  const words = await getWords();
  const { t, time } = words;
  const empty = status.networks.length === 0;
  const state = headlineOf(status, services);
  return (
    <main className="status-page">
      <a className="product" href="/">
        <ProductMark /> {t('productName')}
      </a>
      <h1>{t('systemStatus')}</h1>
      <div className={`status-summary status-${empty ? 'warn' : MARKS[state]}`}>
        <p>{t(empty ? 'systemNone' : HEADLINES[state])}</p>
        {troubles(words, status, services).map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
      {ENVIRONMENTS.map(({ environment, title }) => {
        const networks = status.networks
          .filter((one) => one.environment === environment)
          .map((one) => ({ status: one, days: daysOf(history, environment, one.network) }));
        if (networks.length === 0) return null;
        const others = services
          .filter((one) => one.environment === environment)
          .map((one) => ({ status: one, days: daysOf(history, environment, one.service) }));
        const isOnly = status.networks.length === networks.length;
        return (
          <section key={environment} aria-labelledby={environment}>
            <h2 id={environment} className={isOnly ? 'only-read' : undefined}>
              {t(title)}
            </h2>
            <ul className="status-rows status-networks">
              {networks.map((one) => (
                <NetworkRow key={one.status.network} {...one} />
              ))}
            </ul>
            <ul className="status-rows">
              {others.map((one) => (
                <ServiceRow key={one.status.service} {...one} />
              ))}
            </ul>
            <details className="fold status-details">
              <summary>{t('statusDetails')}</summary>
              {networks.map((one) => (
                <NetworkDetails key={one.status.network} {...one} />
              ))}
              {others.map((one) => (
                <ServiceDetails key={one.status.service} {...one} />
              ))}
            </details>
          </section>
        );
      })}
      <p className="muted">{t('systemIntro')}</p>
      <footer className="status-foot">
        <span>
          {t('statusReadAt', { time: time(status.read_at) })} · <a href="/status.json">{t('statusAsData')}</a>
        </span>
        <LanguageSwitch />
      </footer>
    </main>
  );
}

/** Healthy networks say nothing about webhooks and refunds. */
const headlineOf = ({ state }: Status, services: readonly ServiceStatus[]): Status['state'] =>
  state === 'ok' && services.some((one) => one.state !== 'ok') ? 'degraded' : state;

/** The problems, one line each. */
function troubles({ t, network }: Words, { networks }: Status, services: readonly ServiceStatus[]): readonly string[] {
  const titleOf = (wanted: string) => t(wanted === 'live' ? 'systemLive' : 'systemTest');
  return [
    ...networks.map((one) => ({ ...one, name: network(one.network).name })),
    ...services.map((one) => ({ ...one, name: t(SERVICE_NAMES[one.service]) })),
  ]
    .filter(({ state }) => state !== 'ok')
    .map(({ environment, name, state }) => `${name} (${titleOf(environment)}): ${t(STATES[state].key)}`);
}
