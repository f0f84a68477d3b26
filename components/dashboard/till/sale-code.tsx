'use client';
// How the customer pays a sale: token, network, exact amount, the address in groups, and one large code. The code holds
// the address for a wallet, or the payment page for a phone. There is one code because customers mix up two.

import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { Address } from '@/components/ui/address';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import { chosenMethod, methodName, switchedMethod } from '@/lib/payments/checkout/stage';
import type { PayMethod, PublicStatus } from '@/lib/payments/checkout/view';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { useAction } from '@/components/dashboard/use-action';
import { useStoredSetting } from './stored-setting';
import type { ShownSale } from './sale-head';

type Props = {
  readonly methods: readonly PayMethod[];
  readonly seen: PublicStatus['seen'];
  readonly sale: ShownSale;
  /** The path of the store's requests if a sale can be paid with test money; otherwise null. */
  readonly testApi: string | null;
};

/** The quiet zone around a code, in modules; scanners need it. */
const QUIET_ZONE = 3;

export function SaleCode({ methods, seen, sale, testApi }: Props) {
  const { t, format } = useWords();
  const network = useNetworkName();
  const [selected, setSelected] = useState<string>();
  const [remembered, remember] = useStoredSetting('method', '');
  const [code, showCode] = useStoredSetting('code', 'wallet');
  const chosen = chosenMethod({ methods, seen }, selected, remembered);
  if (!chosen) return null;
  const choose = (to: Partial<PayMethod>) => {
    const next = methodName(switchedMethod(methods, chosen, to) ?? chosen);
    setSelected(next);
    remember(next);
  };
  const { currency } = chosen;
  const isPage = code === 'page';
  return (
    <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-[minmax(0,1fr)_20rem] md:grid-rows-[auto_1fr]">
      <div className="grid gap-3">
        <div>
          <p className="text-[0.8125rem] font-semibold text-muted">{t('tillSend')}</p>
          <p className="text-4xl leading-tight font-bold tracking-tight tabular-nums">
            <bdi dir="ltr">
              {format.amount(chosen.amount)} <span className="text-xl">{currency}</span>
            </bdi>
          </p>
          {sale.currency !== currency && (
            <p className="text-muted tabular-nums">
              <bdi>
                {format.amount(sale.amount)} {sale.currency}
              </bdi>
            </p>
          )}
        </div>
        <details className="group rounded-lg border border-edge/50 bg-surface shadow-card">
          <summary className="flex min-h-14 cursor-pointer list-none items-center gap-2 px-3.5 font-semibold">
            <span className="grow">
              <bdi>{currency}</bdi> · <bdi>{network(chosen.network)}</bdi>
            </span>
            <Icon name="down" className="group-open:rotate-180" />
          </summary>
          <div className="grid gap-4 px-3.5 pb-3.5">
            <Choice
              name="token"
              label={t('tillToken')}
              options={[...new Set(methods.map((one) => one.currency))].map((value) => ({ value, label: value }))}
              chosen={currency}
              onChoose={(value) => choose({ currency: value })}
            />
            <Choice
              name="network"
              label={t('tillNetwork')}
              options={[...new Set(methods.map((one) => one.network))].map((value) => ({
                value,
                label: network(value),
              }))}
              chosen={chosen.network}
              onChoose={(value) => choose({ network: value })}
            />
          </div>
        </details>
      </div>
      <div className="mx-auto grid w-full max-w-80 gap-2 md:col-start-2 md:row-span-2 md:row-start-1">
        <Choice
          name="code"
          label={t('tillScan')}
          isSegmented
          options={(['wallet', 'page'] as const).map((value) => ({ value, label: t(`tillScan_${value}`) }))}
          chosen={isPage ? 'page' : 'wallet'}
          onChoose={showCode}
        />
        {isPage ? (
          <Code name="page" text={`${window.location.origin}/pay/${sale.id}`} label={t('tillPhoneLabel')} />
        ) : (
          <Code name="address" text={chosen.address} label={t('tillCodeLabel')} />
        )}
        <p className="text-center text-muted">{t(isPage ? 'tillPhoneHint' : 'tillCodeHint')}</p>
      </div>
      <div className="grid gap-5 md:col-start-1">
        <div>
          <p className="text-[0.8125rem] font-semibold text-muted">{t('tillTo')}</p>
          {/* As wide as its text, so that it starts below its label in Arabic too. */}
          <p className="w-fit text-lg">
            <Address text={chosen.address} />
          </p>
        </div>
        <p className="font-semibold text-warn">{t('tillOnly', { currency, network: network(chosen.network) })}</p>
        {testApi !== null && <TestMoney api={testApi} saleId={sale.id} method={methodName(chosen)} />}
      </div>
    </div>
  );
}

function TestMoney({ api, saleId, method }: { api: string; saleId: string; method: string }) {
  const { t } = useWords();
  const { run, isPending } = useAction<null, { result: string }>(
    (call) => call.post(`${api}/till/sales/${saleId}/test-money`, { method }),
    { done: t('tillTestMoneySent'), isQuiet: true },
  );
  return (
    <div>
      <Button icon="payments" isPending={isPending} onClick={() => void run(null)}>
        {t('tillTestMoney')}
      </Button>
    </div>
  );
}

/** Black on white in every theme; scanners fail otherwise. */
function Code({ name, text, label }: { name: 'address' | 'page'; text: string; label: string }) {
  return (
    <div data-code={name} className="w-full overflow-hidden rounded-xl bg-white">
      <QRCodeSVG value={text} level="M" marginSize={QUIET_ZONE} size={320} className="h-auto w-full" title={label} />
    </div>
  );
}

type ChoiceProps = {
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: string;
  /** For two options, one control with the full width; otherwise each option is as wide as its text. */
  readonly isSegmented?: boolean;
  readonly onChoose: (value: string) => void;
};

const ROWS = {
  chips: {
    list: 'flex flex-wrap gap-2',
    one: 'rounded-lg border border-edge/50 shadow-card has-checked:border-accent',
  },
  segments: { list: 'grid auto-cols-fr grid-flow-col rounded-lg border border-edge/50 p-1', one: 'rounded-md' },
};

function Choice({ name, label, options, chosen, isSegmented = false, onChoose }: ChoiceProps) {
  const { list, one: item } = ROWS[isSegmented ? 'segments' : 'chips'];
  return (
    <fieldset className="min-w-0">
      <legend className={isSegmented ? 'only-read' : 'mb-1.5 text-[0.8125rem] font-semibold text-muted'}>
        {label}
      </legend>
      <div className={list}>
        {options.map((one) => (
          <label
            key={one.value}
            className={`${item} relative grid min-h-11 cursor-pointer place-items-center bg-surface px-3.5 font-semibold hover:bg-hover has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-3 has-focus-visible:outline-accent`}
          >
            <input
              type="radio"
              name={name}
              value={one.value}
              checked={one.value === chosen}
              onChange={() => onChoose(one.value)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {one.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
