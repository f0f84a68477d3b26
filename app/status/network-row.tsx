// A network or a service on the status page: a row with its current state and bars, and its numbers and days as text.

import type { ReactNode } from 'react';
import { NetworkMark } from '@/components/ui/marks';
import { getWords, type MessageKey, type Words } from '@/lib/i18n/translate';
import type { Day } from '@/lib/installation/status/history';
import type { NetworkState, PublicTrouble } from '@/lib/installation/status/network-state';
import type { NetworkStatus } from '@/lib/installation/status/read';
import type { ServiceName, ServiceStatus } from '@/lib/installation/status/services';
import { Bars } from './bars';
import { entriesOf } from './day-text';

export const STATES: Readonly<Record<NetworkState, { key: MessageKey; mark: string }>> = {
  ok: { key: 'networkStateOk', mark: 'good' },
  delayed: { key: 'networkStateDelayed', mark: 'warn' },
  down: { key: 'networkStateDown', mark: 'bad' },
  starting: { key: 'networkStateStarting', mark: 'warn' },
};
export const SERVICE_NAMES: Readonly<Record<ServiceName, MessageKey>> = {
  webhooks: 'statusWebhooks',
  refunds: 'refunds',
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
/** Up to this value, seconds are more precise than minutes. */
const MAX_SECONDS = 119;

type OfNetwork = { readonly status: NetworkStatus; readonly days: readonly Day[] };
type OfService = { readonly status: ServiceStatus; readonly days: readonly Day[] };

export async function NetworkRow({ status, days }: OfNetwork) {
  const words = await getWords();
  const note = status.trouble ? words.t(TROUBLES[status.trouble]) : null;
  return (
    <Row words={words} name={words.network(status.network).name} state={status.state} note={note} days={days}>
      <NetworkMark network={status.network} />
    </Row>
  );
}

export async function ServiceRow({ status, days }: OfService) {
  const words = await getWords();
  return (
    <Row words={words} name={words.t(SERVICE_NAMES[status.service])} state={status.state} note={null} days={days} />
  );
}

/** Its numbers, and its days as text. */
export async function NetworkDetails({ status, days }: OfNetwork) {
  const words = await getWords();
  const { t, time, list } = words;
  const { name } = words.network(status.network);
  const counted = ENDPOINTS.filter(({ state }) => status.endpoints[state] > 0);
  return (
    <Details words={words} name={name} days={days}>
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
    </Details>
  );
}

export async function ServiceDetails({ status, days }: OfService) {
  const words = await getWords();
  return <Details words={words} name={words.t(SERVICE_NAMES[status.service])} days={days} />;
}

type Part = {
  readonly words: Words;
  readonly name: string;
  readonly days: readonly Day[];
  readonly children?: ReactNode;
};

function Row({ words, name, state, note, days, children }: Part & { state: NetworkState; note: string | null }) {
  const { key, mark } = STATES[state];
  return (
    <li>
      <h3>
        {children}
        {name}
      </h3>
      <span className={`status-badge status-${mark}`}>{words.t(key)}</span>
      {note && <p className="hint">{note}</p>}
      <Bars words={words} days={days} />
    </li>
  );
}

function Details({ words, name, days, children }: Part) {
  return (
    <section>
      <h3>{name}</h3>
      <dl>
        {children}
        {entriesOf(words, days).map((entry) => (
          <Fact key={entry.days} name={entry.days} value={entry.text} />
        ))}
      </dl>
    </section>
  );
}

/** An unknown fact is omitted. */
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
  if (seconds <= MAX_SECONDS) return t('secondsAgo', { count: seconds });
  return t('minutesAgo', { count: Math.floor(seconds / 60) });
}
