// Explains payment exceptions in plain words and what the customer can do about each.

import Link from 'next/link';
import { getWords, type Words } from '@/lib/i18n/translate';
import { centsToText } from '@/lib/money/amounts';
import { extraCents } from '@/lib/payments/checkout/refunds';
import { methodName, readableInstead } from '@/lib/payments/checkout/stage';
import type { CheckoutView, PayMethod } from '@/lib/payments/checkout/view';
import { received } from './outcome';

type Props = {
  readonly view: CheckoutView;
  /** Whether the headline describes a transfer that does not count. */
  readonly isTold: boolean;
  /** The selected method; null when none is selected. The choice below marks the other networks that lag. */
  readonly chosen: PayMethod | null;
};

export async function Notices({ view, isTold, chosen }: Props) {
  const words = await getWords();
  const texts = noticesOf(
    isTold ? { ...view, seen: view.seen.filter(({ verdict }) => verdict === 'orphaned') } : view,
    chosen?.network ?? null,
    words,
  );
  if (texts.length === 0) return null;
  return (
    <div role="status">
      <ul className="notices">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {chosen && <OtherNetworks methods={readableInstead(view, chosen)} words={words} />}
    </div>
  );
}

/** One tap switches to a network that can be read. */
function OtherNetworks({ methods, words }: { methods: readonly PayMethod[]; words: Words }) {
  if (methods.length === 0) return null;
  return (
    <nav className="options" aria-label={words.t('chooseNetwork')}>
      <ul>
        {methods.map((method) => (
          <li key={methodName(method)}>
            <Link href={`?method=${methodName(method)}`} prefetch={false} replace>
              {`${method.currency} · ${words.network(method.network).name}`}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
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
  const extra = extraCents(facts);
  return [
    ...(extra > 0n ? [t('noticeOver', { ...received(view), extra: centsToText(extra) })] : []),
    ...new Set(odd),
    ...lagging
      .filter(({ network }) => chosen === null || network === chosen)
      .map(({ network, minutes }) => t('noticeLag', { network: words.network(network).name, minutes })),
  ];
}
