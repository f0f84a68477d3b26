// One network of the status page.

import { getWords, type MessageKey, type Words } from '@/lib/i18n/translate';
import type { NetworkState, PublicTrouble } from '@/lib/status/network-state';
import type { NetworkStatus } from '@/lib/status/read';

const STATES: Readonly<Record<NetworkState, { key: MessageKey; mark: string }>> = {
  ok: { key: 'networkStateOk', mark: 'good' },
  delayed: { key: 'networkStateDelayed', mark: 'warn' },
  down: { key: 'networkStateDown', mark: 'bad' },
  starting: { key: 'networkStateStarting', mark: 'warn' },
};
const TROUBLES: Readonly<Record<PublicTrouble, MessageKey>> = {
  unreachable: 'troubleUnreachable',
  disagreement: 'troubleDisagreement',
  awaiting_agreement: 'troubleAwaitingAgreement',
  wrong_chain: 'troubleWrongChain',
  catching_up: 'troubleCatchingUp',
  not_scanning: 'troubleNotScanning',
};
const ENDPOINTS = [
  { state: 'ok', key: 'endpointsOk' },
  { state: 'lagging', key: 'endpointsLagging' },
  { state: 'throttled', key: 'endpointsThrottled' },
  { state: 'failing', key: 'endpointsFailing' },
  { state: 'refused', key: 'endpointsRefused' },
  { state: 'unknown', key: 'endpointsUnknown' },
] as const;
const WITHHELD = { discontinued: 'notOfferedDiscontinued' } as const;
/** Up to here seconds say more than minutes. */
const MOST_SECONDS = 119;

export async function NetworkCard({ status }: { status: NetworkStatus }) {
  const words = await getWords();
  const { t, time, list } = words;
  const { name } = words.network(status.network);
  const { key, mark } = STATES[status.state];
  const counted = ENDPOINTS.filter(({ state }) => status.endpoints[state] > 0);
  return (
    <li>
      <div className="status-head">
        <h3>{name}</h3>
        <span className={`status-badge status-${mark}`}>{t(key)}</span>
      </div>
      {status.trouble && <p className="hint">{t(TROUBLES[status.trouble])}</p>}
      <dl>
        <Fact name={t('newestBlock')} value={status.tip_block === null ? null : String(status.tip_block)} />
        <Fact name={t('finalBlock')} value={status.final_block === null ? null : String(status.final_block)} />
        <Fact name={t('lastRead')} value={status.lag_seconds === null ? null : ago(words, status.lag_seconds)} />
        <Fact
          name={t('withoutGap')}
          value={status.scanned_without_gap_since === null ? null : time(status.scanned_without_gap_since)}
        />
        <Fact
          name={t('endpointsLabel')}
          value={list(counted.map((one) => t(one.key, { count: status.endpoints[one.state] })))}
        />
        {status.not_offered.map(({ currency, reason }) => (
          <Fact key={currency} name={t('notOffered')} value={t(WITHHELD[reason], { currency, network: name })} />
        ))}
      </dl>
    </li>
  );
}

/** A fact that is not known yet is left out. */
function Fact({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function ago({ t }: Words, seconds: number): string {
  if (seconds <= MOST_SECONDS) return t('secondsAgo', { count: seconds });
  return t('minutesAgo', { count: Math.floor(seconds / 60) });
}
