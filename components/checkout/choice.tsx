// The choice of token and network: two rows of plain links that work without scripts.

import Link from 'next/link';
import { getWords } from '@/lib/i18n/translate';
import { methodName, switchedMethod } from '@/lib/sessions/checkout-stage';
import type { PayMethod } from '@/lib/sessions/checkout-view';

type Props = { readonly methods: readonly PayMethod[]; readonly chosen: PayMethod };

export async function Choice({ methods, chosen }: Props) {
  const words = await getWords();
  const { t } = words;
  const currencies = [...new Set(methods.map(({ currency }) => currency))];
  const networks = [...new Set(methods.map(({ network }) => network))];
  const link = (to: Partial<PayMethod>) => `?method=${methodName(switchedMethod(methods, chosen, to) ?? chosen)}`;
  return (
    <div className="choice">
      <Options label={t('chooseToken')}>
        {currencies.map((currency) => (
          <Option key={currency} href={link({ currency })} current={currency === chosen.currency} text={currency} />
        ))}
      </Options>
      <Options label={t('chooseNetwork')}>
        {networks.map((network) => {
          const { name, standard } = words.network(network);
          const current = network === chosen.network;
          return <Option key={network} href={link({ network })} current={current} text={name} note={standard} />;
        })}
      </Options>
    </div>
  );
}

function Options({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <nav className="options" aria-label={label}>
      <span className="label">{label}</span>
      <ul>{children}</ul>
    </nav>
  );
}

function Option(props: { href: string; current: boolean; text: string; note?: string }) {
  return (
    <li>
      <Link href={props.href} aria-current={props.current || undefined} scroll={false} prefetch={false} replace>
        <span>{props.text}</span>
        {props.note && (
          <small>
            <bdi>{props.note}</bdi>
          </small>
        )}
      </Link>
    </li>
  );
}
