// The choice of token and network, folded to one line that names the selection. It uses plain links, so it works
// without scripts. Each network shows its cost and duration, so that customers need no prior knowledge.

import type { ReactNode } from 'react';
import type { NetworkSpec } from '@/lib/networks/networks';
import { coinOf } from '@/lib/networks/networks';
import { fastestOf, displayedWait, secondsToConfirm } from '@/lib/payments/checkout/wallets/network-facts';
import { cheapestByWorth, worthTexts, type ShownFee } from '@/lib/payments/checkout/wallets/fee-worth';
import { getWords, type Words } from '@/lib/i18n/translate';
import { methodName, switchedMethod } from '@/lib/payments/checkout/stage';
import type { Lag, PayMethod } from '@/lib/payments/checkout/view';
import { MethodMark, NetworkMark, TokenMark } from '@/components/ui/marks';

type Props = {
  readonly methods: readonly PayMethod[];
  readonly chosen: PayMethod;
  /** False after a token was chosen and before its network is. */
  readonly isMade: boolean;
  /** The rows of the networks that are offered. */
  readonly specs: readonly NetworkSpec[];
  readonly lagging: readonly Lag[];
  /** The cost of a payment per network. */
  readonly fees: ReadonlyMap<string, ShownFee>;
  /** The order's currency. Fees are shown in it where the coin's price is known. */
  readonly currency: string;
};

/** In the address after a token was chosen: the network comes next, so the choice stays unfolded. */
const STILL_CHOOSING = '&choosing=network';

export async function Choice({ methods, chosen, isMade, specs, lagging, fees, currency }: Props) {
  const words = await getWords();
  const { t } = words;
  const tokens = [...new Set(methods.map((one) => one.currency))];
  const link = (to: Partial<PayMethod>) => `?method=${methodName(switchedMethod(methods, chosen, to) ?? chosen)}`;
  const isOnOneNetwork = (token: string) => methods.filter((one) => one.currency === token).length === 1;
  const marks = {
    cheapest: cheapestByWorth(
      specs.map(({ network }) => network),
      fees,
    ),
    fastest: fastestOf(specs),
  };
  const spec = specs.find(({ network }) => network === chosen.network);
  const chosenName = words.network(chosen.network);
  const chosenFee = spec && fees.get(spec.network);
  const line = (
    <>
      <MethodMark {...chosen} />
      <span className="chosen">
        <span className="method-name">
          {chosen.currency} · {chosenName.name} <Tag text={chosenName.standard} />
        </span>
        {spec && <small>{feeText(fees.get(spec.network), { network: spec.network, currency }, words)}</small>}
      </span>
    </>
  );
  if (methods.length === 1) return <p className="choice-line">{line}</p>;
  return (
    // The page's script folds and unfolds this element when its content changes.
    <details className="choice" data-fold={`${isMade ? 'folded' : 'open'} ${methodName(chosen)}`} open={!isMade}>
      <summary className="choice-line">
        <span className="only-read">{`${t('chooseToken')} · ${t('chooseNetwork')}: `}</span>
        {line}
      </summary>
      <div className="choice-all">
        {tokens.length > 1 && (
          <Options label={t('chooseToken')}>
            {tokens.map((token) => (
              <Option
                key={token}
                href={`${link({ currency: token })}${isOnOneNetwork(token) ? '' : STILL_CHOOSING}`}
                current={token === chosen.currency}
                mark={<TokenMark currency={token} />}
                name={token}
              />
            ))}
          </Options>
        )}
        <Options label={t('chooseNetwork')} kind="networks">
          {specs.map((one) => (
            <NetworkOption
              key={one.network}
              href={link({ network: one.network })}
              current={one.network === chosen.network}
              spec={one}
              {...{ marks, fees, currency, lagging, words }}
            />
          ))}
        </Options>
        <p className="hint">
          {t('feeNote')}
          {/* Names the coin too: the payer's wallet must hold it. */}
          {chosenFee?.worth &&
            ` ${feeText({ ...chosenFee, worth: null }, { network: chosen.network, currency }, words)}`}
        </p>
      </div>
    </details>
  );
}

type NetworkProps = Pick<Props, 'fees' | 'currency' | 'lagging'> & {
  readonly spec: NetworkSpec;
  readonly href: string;
  readonly current: boolean;
  readonly marks: Readonly<Record<'cheapest' | 'fastest', string | null>>;
  readonly words: Words;
};

function NetworkOption({ spec, href, current, marks, fees, currency, lagging, words }: NetworkProps) {
  const { network } = spec;
  const { name, standard } = words.network(network);
  const own = (['cheapest', 'fastest'] as const).filter((mark) => marks[mark] === network);
  return (
    <Option
      href={href}
      current={current}
      mark={<NetworkMark network={network} />}
      name={name}
      standard={standard}
      marks={own.map((mark) => words.t(mark))}
      notes={<Notes spec={spec} fee={fees.get(network)} currency={currency} words={words} />}
      warning={behind(lagging, network, words)}
    />
  );
}

/** Cost and duration: short for the eye, in full words for screen readers. */
function Notes({
  spec,
  fee,
  currency,
  words,
}: Pick<NetworkProps, 'spec' | 'currency' | 'words'> & { readonly fee: ShownFee | undefined }) {
  const wait = displayedWait(secondsToConfirm(spec));
  const paced = wait.unit === 'seconds' ? 'confirmedInSeconds' : 'confirmedInMinutes';
  const where = { network: spec.network, currency };
  const cost = feeText(fee, where, words);
  return (
    <span className="option-notes">
      {cost && (
        <small>
          <span className="only-read">{cost}</span>
          <bdi aria-hidden="true">{feeSigns(fee, where, words)}</bdi>
        </small>
      )}
      {wait && (
        <small>
          <span className="only-read">{words.t(paced, { count: wait.count })}</span>
          <bdi aria-hidden="true">{`~${words.span(wait)}`}</bdi>
        </small>
      )}
    </span>
  );
}

type FeeOf = { readonly network: string; readonly currency: string };

/** The cost of a payment on the network, in the order's currency where known; null when no cost is known. */
function feeText(fee: ShownFee | undefined, where: FeeOf, words: Words): string | null {
  const range = feeRange(fee, where, words);
  if (range === null) return null;
  const { from, to, coin } = range;
  return to === null ? words.t('usualFee', { amount: from, coin }) : words.t('usualFeeRange', { from, to, coin });
}

function feeSigns(fee: ShownFee | undefined, where: FeeOf, words: Words): string | null {
  const range = feeRange(fee, where, words);
  return range && `${range.to === null ? `≈ ${range.from}` : `${range.from}–${range.to}`} ${range.coin}`;
}

function feeRange(fee: ShownFee | undefined, { network, currency }: FeeOf, { amount }: Words) {
  const coin = fee?.worth ? currency : coinOf(network)?.symbol;
  if (!fee || !coin) return null;
  const [from = fee.from, to = null] = fee.worth ? worthTexts(fee.worth) : [fee.from, fee.to];
  return { from: amount(from), to: to === null ? null : amount(to), coin };
}

function behind(lagging: readonly Lag[], network: string, { t }: Words): string | null {
  const lag = lagging.find((one) => one.network === network);
  return lag ? t('networkBehind', { count: lag.minutes }) : null;
}

/** The token standard, which exchanges use as the network's name. */
function Tag({ text }: { text: string }) {
  return <bdi className="tag">{text}</bdi>;
}

function Options({ label, kind, children }: { label: string; kind?: 'networks'; children: ReactNode }) {
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
  readonly mark: ReactNode;
  readonly name: string;
  readonly standard?: string;
  readonly marks?: readonly string[];
  readonly notes?: ReactNode;
  readonly warning?: string | null;
};

function Option({ href, current, mark, name, standard, marks = [], notes, warning = null }: OptionProps) {
  return (
    <li>
      <a href={href} aria-current={current || undefined}>
        <span className="option-name">
          {mark}
          <span>{name}</span> {standard && <Tag text={standard} />}
          {marks.length > 0 && (
            <span className="option-marks">
              {marks.map((one) => (
                <span key={one} className="option-mark">
                  {one}
                </span>
              ))}
            </span>
          )}
        </span>
        {notes}
        {warning && <small className="option-behind">{warning}</small>}
      </a>
    </li>
  );
}
