'use client';
// How the customer pays a sale: token and network to choose from, the exact amount, the address in groups, and one large code, of the
// address for a wallet or of the payment page for the customer's own phone. Two codes beside each other would be mixed up.

import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { Address } from '@/components/ui/address';
import { Button } from '@/components/ui/button';
import { useWords } from '@/components/ui/words';
import { chosenMethod, methodName, switchedMethod } from '@/lib/sessions/checkout-stage';
import type { PayMethod, PublicStatus } from '@/lib/sessions/checkout-view';
import { useNetworkName } from '../payments/status';
import { useAction } from '../use-action';
import { useRemembered } from './remembered';

type Props = {
  readonly methods: readonly PayMethod[];
  readonly seen: PublicStatus['seen'];
  readonly saleId: string;
  /** The path of the store's requests where a sale can be paid with test money; else null. */
  readonly testApi: string | null;
};

/** Modules of white around a code, as scanners need them. */
const QUIET_ZONE = 3;

export function SaleCode({ methods, seen, saleId, testApi }: Props) {
  const { t, format } = useWords();
  const network = useNetworkName();
  const [asked, setAsked] = useState<string>();
  const [remembered, remember] = useRemembered('method', '');
  const [code, showCode] = useRemembered('code', 'wallet');
  const chosen = chosenMethod({ methods, seen }, asked, remembered);
  if (!chosen) return null;
  const choose = (to: Partial<PayMethod>) => {
    const next = methodName(switchedMethod(methods, chosen, to) ?? chosen);
    setAsked(next);
    remember(next);
  };
  const { currency } = chosen;
  const isPage = code === 'page';
  return (
    <div className="grid items-start gap-6 md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="grid gap-5">
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
          options={[...new Set(methods.map((one) => one.network))].map((value) => ({ value, label: network(value) }))}
          chosen={chosen.network}
          onChoose={(value) => choose({ network: value })}
        />
        <div>
          <p className="text-[0.8125rem] font-semibold text-muted">{t('tillSend')}</p>
          <p className="text-3xl font-bold tabular-nums">
            <bdi>{format.amount(chosen.amount)}</bdi> <span className="text-xl">{currency}</span>
          </p>
        </div>
        <div>
          <p className="text-[0.8125rem] font-semibold text-muted">{t('tillTo')}</p>
          <p className="text-lg">
            <Address text={chosen.address} />
          </p>
        </div>
        <p className="font-semibold text-warn">{t('tillOnly', { currency, network: network(chosen.network) })}</p>
        {testApi !== null && <TestMoney api={testApi} saleId={saleId} method={methodName(chosen)} />}
      </div>
      <div className="grid justify-items-center gap-2 max-md:order-first">
        <p className="text-xl font-bold tabular-nums md:hidden">
          <bdi>
            {format.amount(chosen.amount)} {currency}
          </bdi>{' '}
          · {network(chosen.network)}
        </p>
        <Choice
          name="code"
          label={t('tillScan')}
          options={(['wallet', 'page'] as const).map((value) => ({ value, label: t(`tillScan_${value}`) }))}
          chosen={isPage ? 'page' : 'wallet'}
          onChoose={showCode}
        />
        {isPage ? (
          <Code name="page" text={`${window.location.origin}/pay/${saleId}`} label={t('tillPhoneLabel')} />
        ) : (
          <Code name="address" text={chosen.address} label={t('tillCodeLabel')} />
        )}
        <p className="max-w-72 text-center text-muted">{t(isPage ? 'tillPhoneHint' : 'tillCodeHint')}</p>
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

/** Black on white in every theme, or scanners fail. */
function Code({ name, text, label }: { name: 'address' | 'page'; text: string; label: string }) {
  return (
    <div data-code={name} className="w-72 max-w-full overflow-hidden rounded-xl bg-white sm:w-80">
      <QRCodeSVG value={text} level="M" marginSize={QUIET_ZONE} size={320} className="h-auto w-full" title={label} />
    </div>
  );
}

type ChoiceProps = {
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
};

function Choice({ name, label, options, chosen, onChoose }: ChoiceProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-[0.8125rem] font-semibold text-muted">{label}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((one) => (
          <label
            key={one.value}
            className="relative grid min-h-11 cursor-pointer place-items-center rounded-lg border border-edge/50 bg-surface px-3.5 font-semibold shadow-card hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-3 has-focus-visible:outline-accent"
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
