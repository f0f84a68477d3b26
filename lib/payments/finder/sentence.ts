// Puts a verdict into sentences, with the next step for the customer. Pure: the texts come from the customer's language. Amounts are
// written as wallets accept them, in every language.

import type { MessageKey } from '@/lib/i18n/translate';
import type { FindVerdict } from './verdict';

type Values = Record<string, string | number>;

/** One language: `t` formats a message, `network` names a network, `list` joins names. */
export type Speaker = {
  readonly t: (key: MessageKey, values?: Values) => string;
  readonly network: (network: string) => { readonly name: string };
  readonly list: (names: readonly string[]) => string;
};

/** The sentences for a verdict, in reading order. */
export function findSentences(found: FindVerdict, speaker: Speaker): string[] {
  const { t } = speaker;
  switch (found.verdict) {
    case 'counted':
      return [t('findCounted', arrived(found, speaker)), ...short(found, speaker)];
    case 'waiting':
      return [t('findWaiting', arrived(found, speaker)), progress(found.missing, speaker), ...short(found, speaker)];
    case 'too_early':
      return [t('findTooEarly', arrived(found, speaker)), ...decided(found, speaker)];
    case 'too_late':
      return [t('findTooLate', arrived(found, speaker)), ...decided(found, speaker)];
    case 'wrong_token':
      return [t('findWrongToken', arrived(found, speaker)), ...decided(found, speaker)];
    case 'wrong_network':
      return [t('findWrongNetwork', arrived(found, speaker)), ...decided(found, speaker)];
    case 'unfinished':
      return [t('findUnfinished', arrived(found, speaker)), ...decided(found, speaker)];
    case 'returned':
      return [t('findWaiting', arrived(found, speaker)), ...decided(found, speaker)];
    case 'unmined':
    case 'failed':
    case 'fake_token':
    case 'other_address':
    case 'no_token':
    case 'unclear':
      return [t(PLAIN[found.verdict], { network: nameOf(found.network, speaker) })];
    case 'not_found':
      return notFound(found, speaker);
    case 'unanswered':
      return [t('findUnanswered')];
    case 'unreadable':
      return [t(found.looksLike === 'address' ? 'findAddress' : 'findUnreadable')];
  }
}

const PLAIN = {
  unmined: 'findUnmined',
  failed: 'findFailed',
  fake_token: 'findFakeToken',
  other_address: 'findOtherAddress',
  no_token: 'findNoToken',
  unclear: 'findUnclear',
} as const satisfies Record<string, MessageKey>;

type Arrived = Extract<FindVerdict, { amount: string }>;

const arrived = ({ amount, currency, network }: Arrived, speaker: Speaker): Values => ({
  amount,
  currency,
  network: nameOf(network, speaker),
});

function short(found: Extract<FindVerdict, { short: string | null }>, { t }: Speaker): string[] {
  if (found.short === null) return [];
  return [t('findShort', { missing: found.short, currency: found.currency })];
}

function progress(missing: number | null, { t }: Speaker): string {
  if (missing === null) return t('findUntilConfirmed');
  return missing === 0 ? t('findAboutToCount') : t('findBlocksLeft', { count: missing });
}

function decided({ decision }: Extract<FindVerdict, { decision: unknown }>, { t }: Speaker): string[] {
  return [t(decision === 'refund' ? 'findGoesBack' : 'findNotLost')];
}

function notFound(found: Extract<FindVerdict, { asked: unknown }>, speaker: Speaker): string[] {
  const { t } = speaker;
  if (found.asked.length === 0) return [t('findNotFollowed')];
  const answered = found.asked.filter((network) => !found.unanswered.includes(network));
  return [
    t('findNotFound', { network: names(answered, speaker) }),
    ...(found.unanswered.length > 0 ? [t('findSomeUnanswered', { network: names(found.unanswered, speaker) })] : []),
    t('findNotFoundHint'),
  ];
}

const nameOf = (network: string, speaker: Speaker): string => speaker.network(network).name;

const names = (networks: readonly string[], speaker: Speaker): string =>
  speaker.list(networks.map((network) => nameOf(network, speaker)));
