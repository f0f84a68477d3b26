// An alarm in the reader's language: its title and what to do. It names networks, steps and numbers, but never a customer or a
// store.

import { ALARM_KINDS, type AlarmKind } from './kinds';

/** A catalogue's texts, of a mail or of a page. */
export type Words = {
  (key: string, values?: Record<string, string>): string;
  readonly has: (key: string) => boolean;
};

export type Worded = { readonly kind: AlarmKind; readonly subject: string; readonly count: number };

/** `Ledger and chain differ · Live (3)`. */
export function alarmTitle(t: Words, { kind, subject, count }: Worded): string {
  const about = subject === '' ? '' : ` · ${subjectText(t, kind, subject)}`;
  return `${t(ALARM_KINDS[kind].words)}${about}${count > 1 ? ` (${count})` : ''}`;
}

export const alarmText = (t: Words, kind: AlarmKind): string =>
  t(`${ALARM_KINDS[kind].words}Text`, { command: 'npm run exchange-wallets -- load' });

function subjectText(t: Words, kind: AlarmKind, subject: string): string {
  if (kind === 'steps') return subject;
  if (kind === 'operator_reset') return subject.slice(0, 8);
  if (kind === 'security' || kind === 'quarantine') {
    const key = `${kind === 'security' ? 'operatorSecurityKind' : 'operatorQuarantine'}_${subject}`;
    return t.has(key) ? t(key) : subject;
  }
  const [environment, network, ...about] = subject.split(' ');
  const place = t(environment === 'test' ? 'navTest' : 'navLive');
  if (network === undefined) return place;
  const name = `operatorNetwork_${network}`;
  const shown = `${t.has(name) ? t(name) : network} · ${place}`;
  return [...about.map((word) => aboutText(t, word)), shown].join(' · ');
}

/** A currency as it is; a permission or the role of a wallet in words. */
const aboutText = (t: Words, word: string): string => (t.has(`ownWallet_${word}`) ? t(`ownWallet_${word}`) : word);
