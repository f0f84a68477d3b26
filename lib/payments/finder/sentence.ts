// Puts a verdict into sentences, with the next step for the customer. Pure: the texts come from the customer's language. Amounts are
// written as wallets accept them, in every language.

import type { MessageKey } from '@/lib/i18n/translate';
import type { FindVerdict } from './verdict';

type Values = Record<string, string | number>;

/** One language: `t` formats a message, `network` names a network, `list` joins names. */
export type Formatter = {
  readonly t: (key: MessageKey, values?: Values) => string;
  readonly network: (network: string) => { readonly name: string };
  readonly list: (names: readonly string[]) => string;
};

/** The sentences for a verdict, in reading order. */
export function findSentences(found: FindVerdict, formatter: Formatter): string[] {
  const { t } = formatter;
  switch (found.verdict) {
    case 'counted':
      return [t('findCounted', arrived(found, formatter)), ...short(found, formatter)];
    case 'waiting':
      return [
        t('findWaiting', arrived(found, formatter)),
        progress(found.missing, formatter),
        ...short(found, formatter),
      ];
    case 'too_early':
      return [t('findTooEarly', arrived(found, formatter)), ...decided(found, formatter)];
    case 'too_late':
      return [t('findTooLate', arrived(found, formatter)), ...decided(found, formatter)];
    case 'wrong_token':
      return [t('findWrongToken', arrived(found, formatter)), ...decided(found, formatter)];
    case 'wrong_network':
      return [t('findWrongNetwork', arrived(found, formatter)), ...decided(found, formatter)];
    case 'unfinished':
      return [t('findUnfinished', arrived(found, formatter)), ...decided(found, formatter)];
    case 'returned':
      return [t('findWaiting', arrived(found, formatter)), ...decided(found, formatter)];
    case 'unmined':
    case 'failed':
    case 'fake_token':
    case 'other_address':
    case 'no_token':
    case 'unclear':
      return [t(PLAIN[found.verdict], { network: nameOf(found.network, formatter) })];
    case 'not_found':
      return notFound(found, formatter);
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

const arrived = ({ amount, currency, network }: Arrived, formatter: Formatter): Values => ({
  amount,
  currency,
  network: nameOf(network, formatter),
});

function short(found: Extract<FindVerdict, { short: string | null }>, { t }: Formatter): string[] {
  if (found.short === null) return [];
  return [t('findShort', { missing: found.short, currency: found.currency })];
}

function progress(missing: number | null, { t }: Formatter): string {
  if (missing === null) return t('findUntilConfirmed');
  return missing === 0 ? t('findAboutToCount') : t('findBlocksLeft', { count: missing });
}

function decided({ decision }: Extract<FindVerdict, { decision: unknown }>, { t }: Formatter): string[] {
  return [t(decision === 'refund' ? 'findGoesBack' : 'findNotLost')];
}

function notFound(found: Extract<FindVerdict, { asked: unknown }>, formatter: Formatter): string[] {
  const { t } = formatter;
  if (found.asked.length === 0) return [t('findNotFollowed')];
  const answered = found.asked.filter((network) => !found.unanswered.includes(network));
  return [
    t('findNotFound', { network: names(answered, formatter) }),
    ...(found.unanswered.length > 0 ? [t('findSomeUnanswered', { network: names(found.unanswered, formatter) })] : []),
    t('findNotFoundHint'),
  ];
}

const nameOf = (network: string, formatter: Formatter): string => formatter.network(network).name;

const names = (networks: readonly string[], formatter: Formatter): string =>
  formatter.list(networks.map((network) => nameOf(network, formatter)));
