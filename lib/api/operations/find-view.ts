// Shared by the payment finder's paths: reads the request, and returns the result as JSON. It reports what the chain says about
// one transaction for one session, and about no other.

import { createTranslator } from 'next-intl';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Found } from '@/lib/payments/finder/find';
import { findSentences, type Formatter } from '@/lib/payments/finder/sentence';
import type { FindVerdict } from '@/lib/payments/finder/verdict';
import { networkNames } from '@/lib/i18n/network-names';
import english from '@/messages/en.json';
import { groupOf } from '@/lib/platform/rate-limit/address-group';
import { isLoopback } from '@/lib/api/client-address';
import type { Services } from '@/lib/api/services';

/** The parameter of both paths. */
const PARAMETER = 'transaction';
/** Longer than any link to a transaction. A longer value is a mistake. */
export const LONGEST_TRANSACTION = 500;

/** The client whose finder requests are counted; null where no limit applies. */
export const finderCaller = ({ config }: Pick<Services, 'config'>, address: string): string | null =>
  !config.LIMIT_LOOPBACK && isLoopback(address) ? null : `address ${groupOf(address)}`;

/** The requested transaction. Throws INVALID_PARAMETER. */
export function requestedTransaction(query: string): string {
  const given = new URLSearchParams(query).getAll(PARAMETER);
  const text = given[0]?.trim() ?? '';
  if (given.length !== 1 || text === '' || text.length > LONGEST_TRANSACTION)
    throw new ServiceError('INVALID_PARAMETER', { param: PARAMETER });
  return text;
}

/** Names as in the rest of the API. Fields that do not apply to a verdict are omitted. */
export function findView(sessionId: string, { transactionHash, result }: Found): Record<string, unknown> {
  return {
    session_id: sessionId,
    ...(transactionHash === null ? {} : { transaction_hash: transactionHash }),
    verdict: result.verdict,
    message: findSentences(result, formatter).join(' '),
    ...details(result),
  };
}

function details(result: FindVerdict): Record<string, unknown> {
  switch (result.verdict) {
    case 'counted':
      return { ...arrived(result), short_by: result.short ?? undefined };
    case 'waiting':
      return { ...arrived(result), ...progress(result), short_by: result.short ?? undefined };
    case 'too_early':
    case 'wrong_network':
    case 'wrong_token':
    case 'too_late':
    case 'unfinished':
    case 'returned':
      return { ...arrived(result), ...progress(result), decision: result.decision ?? undefined };
    case 'unmined':
    case 'failed':
    case 'fake_token':
    case 'other_address':
    case 'no_token':
    case 'unclear':
      return { network: result.network };
    case 'not_found':
    case 'unanswered':
      return { networks_asked: result.asked, networks_unanswered: result.unanswered };
    case 'unreadable':
      return {};
  }
}

type Arrived = Extract<FindVerdict, { amount: string }>;
type Progress = Extract<FindVerdict, { missing: number | null }>;

const arrived = ({ network, currency, amount }: Arrived) => ({ network, currency, amount });

const progress = ({ confirmations, missing }: Progress) => ({
  confirmations: confirmations ?? undefined,
  blocks_missing: missing ?? undefined,
});

const translate = createTranslator({ locale: 'en', messages: english });
const joined = new Intl.ListFormat('en', { type: 'conjunction' });
const formatter: Formatter = {
  t: (key, values) => translate(key, values),
  network: (network) =>
    networkNames((key) => (translate.has(key as 'networkTron') ? translate(key as 'networkTron') : null), network),
  list: (names) => joined.format(names),
};
