// What is odd about a payment, in plain words and with the way out.

import { getWords, type Words } from '@/lib/i18n/translate';
import type { CheckoutView } from '@/lib/sessions/checkout-view';
import { received } from './outcome';

type Props = {
  readonly view: CheckoutView;
  /** The network that is being paid on; the choice below marks the others that lag. Null where none is chosen. */
  readonly chosen: string | null;
};

export async function Notices({ view, chosen }: Props) {
  const texts = noticesOf(view, chosen, await getWords());
  if (texts.length === 0) return null;
  return (
    <div role="status">
      <ul className="notices">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

function noticesOf(view: CheckoutView, chosen: string | null, words: Words): string[] {
  const { t } = words;
  const { facts, seen, lagging } = view;
  const odd = seen.flatMap(({ verdict, currency, network }) => {
    switch (verdict) {
      case 'counts':
        return [];
      case 'late':
        return t('noticeLate');
      case 'wrong_token':
        return t('noticeWrongToken', { currency });
      case 'wrong_network':
        return t('noticeWrongNetwork', { network: words.network(network).name });
      case 'orphaned':
        return t('noticeOrphaned');
    }
  });
  const over = facts.status === 'completed' && BigInt(facts.amount_received) > BigInt(facts.amount_due);
  return [
    ...(over ? [t('noticeOver', received(view, words))] : []),
    ...new Set(odd),
    ...lagging
      .filter(({ network }) => chosen === null || network === chosen)
      .map(({ network, minutes }) => t('noticeLag', { network: words.network(network).name, minutes })),
  ];
}
