// The choice of token and network: two rows of plain links that work without scripts, each network with what it costs and how
// long it takes, so that nobody has to know them to choose well. Once it is made it folds up on phones, where the amount and the
// address would lie below the screen otherwise.

import Link from 'next/link';
import type { NetworkSpec } from '@/lib/chains/networks';
import {
  cheapestOf,
  fastestOf,
  networkFacts,
  saidWait,
  secondsToConfirm,
  type Fee,
} from '@/lib/checkout/network-facts';
import { getWords, type Words } from '@/lib/i18n/translate';
import { methodName, switchedMethod } from '@/lib/sessions/checkout-stage';
import type { Lag, PayMethod } from '@/lib/sessions/checkout-view';
import { Fold } from './fold';

type Props = {
  readonly methods: readonly PayMethod[];
  readonly chosen: PayMethod;
  /** Whether nothing is left to choose (lib/sessions/checkout-stage). */
  readonly isMade: boolean;
  /** The rows of the networks that are offered. */
  readonly specs: readonly NetworkSpec[];
  readonly lagging: readonly Lag[];
  /** What a payment costs on each network. */
  readonly fees: ReadonlyMap<string, Fee>;
};

/** In the address after a token was chosen: the network comes next, so that nothing folds up yet. */
const STILL_CHOOSING = '&choosing=network';

export async function Choice({ methods, chosen, isMade, specs, lagging, fees }: Props) {
  const words = await getWords();
  const { t } = words;
  const currencies = [...new Set(methods.map(({ currency }) => currency))];
  const link = (to: Partial<PayMethod>) => `?method=${methodName(switchedMethod(methods, chosen, to) ?? chosen)}`;
  const isOnOneNetwork = (token: string) => methods.filter(({ currency }) => currency === token).length === 1;
  const marks = { cheapest: cheapestOf(specs.map(({ network }) => network)), fastest: fastestOf(specs) };
  return (
    <Fold isFolded={isMade} choice={methodName(chosen)}>
      <summary>
        <span className="label">{`${t('chooseToken')} · ${t('chooseNetwork')}`}</span>
        <span className="chosen">{chosenText(chosen, words)}</span>
      </summary>
      <div className="choice-all">
        <Options label={t('chooseToken')}>
          {currencies.map((currency) => (
            <Option
              key={currency}
              href={`${link({ currency })}${isOnOneNetwork(currency) ? '' : STILL_CHOOSING}`}
              current={currency === chosen.currency}
              name={currency}
            />
          ))}
        </Options>
        <Options label={t('chooseNetwork')} kind="networks">
          {specs.map((spec) => (
            <NetworkOption
              key={spec.network}
              href={link({ network: spec.network })}
              current={spec.network === chosen.network}
              {...{ spec, marks, fees, lagging, words }}
            />
          ))}
        </Options>
        <p className="chosen">{chosenText(chosen, words)}</p>
        <p className="hint">{t('feeNote')}</p>
      </div>
    </Fold>
  );
}

type NetworkProps = Pick<Props, 'fees' | 'lagging'> & {
  readonly spec: NetworkSpec;
  readonly href: string;
  readonly current: boolean;
  readonly marks: Readonly<Record<'cheapest' | 'fastest', string | null>>;
  readonly words: Words;
};

function NetworkOption({ spec, href, current, marks, fees, lagging, words }: NetworkProps) {
  const { network } = spec;
  const { name, standard } = words.network(network);
  const own = (['cheapest', 'fastest'] as const).filter((mark) => marks[mark] === network);
  return (
    <Option
      href={href}
      current={current}
      name={name}
      standard={standard}
      marks={own.map((mark) => words.t(mark))}
      notes={notesOf(spec, fees, words)}
      warning={behind(lagging, network, words)}
    />
  );
}

function notesOf(spec: NetworkSpec, fees: Props['fees'], { t, amount }: Words): string[] {
  const fee = fees.get(spec.network);
  const coin = networkFacts(spec.network)?.coin;
  const seconds = secondsToConfirm(spec);
  const wait = seconds === null ? null : saidWait(seconds);
  const notes: string[] = [];
  if (fee && coin) {
    const from = amount(fee.from);
    notes.push(
      fee.to === null
        ? t('usualFee', { amount: from, coin: coin.symbol })
        : t('usualFeeRange', { from, to: amount(fee.to), coin: coin.symbol }),
    );
  }
  if (wait) {
    notes.push(t(wait.unit === 'seconds' ? 'confirmedInSeconds' : 'confirmedInMinutes', { count: wait.count }));
  }
  return notes;
}

function behind(lagging: readonly Lag[], network: string, { t }: Words): string | null {
  const lag = lagging.find((one) => one.network === network);
  return lag ? t('networkBehind', { count: lag.minutes }) : null;
}

function chosenText({ currency, network }: PayMethod, { t, network: names }: Words): string {
  const { name, standard } = names(network);
  return t('payWith', { currency, network: name, standard });
}

function Options({ label, kind, children }: { label: string; kind?: 'networks'; children: React.ReactNode }) {
  return (
    <nav className={kind ? `options ${kind}` : 'options'} aria-label={label}>
      <span className="label">{label}</span>
      <ul>{children}</ul>
    </nav>
  );
}

type OptionProps = {
  readonly href: string;
  readonly current: boolean;
  readonly name: string;
  readonly standard?: string;
  readonly marks?: readonly string[];
  readonly notes?: readonly string[];
  readonly warning?: string | null;
};

function Option({ href, current, name, standard, marks = [], notes = [], warning = null }: OptionProps) {
  return (
    <li>
      <Link href={href} aria-current={current || undefined} prefetch={false} replace>
        <span className="option-name">
          <span>{name}</span>{' '}
          {standard && (
            <small>
              <bdi>{standard}</bdi>
            </small>
          )}
          {marks.length > 0 && (
            <span className="option-marks">
              {marks.map((mark) => (
                <span key={mark} className="option-mark">
                  {mark}
                </span>
              ))}
            </span>
          )}
        </span>
        {notes.map((note) => (
          <small key={note}>{note}</small>
        ))}
        {warning && <small className="option-behind">{warning}</small>}
      </Link>
    </li>
  );
}
