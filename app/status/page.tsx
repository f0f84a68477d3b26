// The public status page: how far every network is read, in words and numbers that hide nothing and show no address.

import type { Metadata } from 'next';
import { LanguageSwitch } from '@/components/ui/language-switch';
import { systemClock } from '@/lib/clock';
import { config } from '@/lib/config';
import { pool } from '@/lib/db';
import { getWords, type MessageKey } from '@/lib/i18n/translate';
import { readStatus, type Status } from '@/lib/status/read';
import { NetworkCard } from './network-card';

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
  const status = await readStatus({ pool: pool(), clock: systemClock, config: config() });
  const { t, time } = await getWords();
  const empty = status.networks.length === 0;
  return (
    <main className="status-page">
      <p className="product">{t('productName')}</p>
      <h1>{t('systemStatus')}</h1>
      <p className={`status-summary status-${empty ? 'warn' : MARKS[status.state]}`}>
        {t(empty ? 'systemNone' : HEADLINES[status.state])}
      </p>
      <p className="muted">{t('systemIntro')}</p>
      {ENVIRONMENTS.map(({ environment, title }) => {
        const networks = status.networks.filter((one) => one.environment === environment);
        if (networks.length === 0) return null;
        return (
          <section key={environment} aria-labelledby={environment}>
            <h2 id={environment}>{t(title)}</h2>
            <ul className="status-networks">
              {networks.map((one) => (
                <NetworkCard key={one.network} status={one} />
              ))}
            </ul>
          </section>
        );
      })}
      <footer className="status-foot">
        <span>
          {t('statusReadAt', { time: time(status.read_at) })} · <a href="/status.json">{t('statusAsData')}</a>
        </span>
        <LanguageSwitch />
      </footer>
    </main>
  );
}
