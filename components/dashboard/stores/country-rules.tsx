'use client';
// Which tokens a store offers to customers of a country: the operator's rules, which hold for all stores, and the owner's, which can be added
// and removed.

import { useState, type ReactNode } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';
import { Button } from '@/components/ui/button';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { CountryRule } from '@/lib/platform/countries/rules';
import { useStoreVersion } from './use-store-version';

type Props = {
  readonly storeId: string;
  readonly version: number;
  readonly rules: readonly CountryRule[];
  /** The operator's, for all stores. */
  readonly general: readonly CountryRule[];
  readonly isReadOnly: boolean;
};

const CHOICES: Readonly<Record<string, readonly string[]>> = { USDC: ['USDC'], USDT: ['USDT'], none: [] };

export function CountryRules({ storeId, version, rules, general, isReadOnly }: Props) {
  const { t } = useWords();
  const handleVersionConflict = useStoreVersion();
  const [chosen, setChosen] = useState('USDC');
  const path = `/stores/${storeId}/country-rules`;
  const { run, isPending } = useAction(
    async (call, left: readonly CountryRule[]) =>
      handleVersionConflict(await call.post(path, { version, rules: left })),
    { done: t('uiSaved') },
  );
  return (
    <div className="grid gap-4">
      {general.length > 0 && (
        <div className="grid gap-1">
          <p className="font-semibold">{t('ctyGeneral')}</p>
          <List rules={general} />
        </div>
      )}
      {rules.length === 0 ? (
        <p className="text-muted">{t('ctyNone')}</p>
      ) : (
        <List
          rules={rules}
          {...(!isReadOnly && {
            action: (at: number) => (
              <Button
                size="small"
                isPending={isPending}
                onClick={() => void run(rules.filter((_, other) => other !== at))}
              >
                {t('ctyRemove')}
              </Button>
            ),
          })}
        />
      )}
      {!isReadOnly && (
        <ActionForm
          key={version}
          send={async (call, form) => {
            const places = formText(form, 'places')
              .split(/[\s,]+/)
              .filter((place) => place !== '')
              .map(placeOf);
            const added = { places, tokens: CHOICES[chosen] ?? [] };
            const answer = handleVersionConflict(await call.post(path, { version, rules: [...rules, added] }));
            if (!('fault' in answer) || answer.fault.code !== 'INVALID_PARAMETER') return answer;
            return { fault: { ...answer.fault, message: t('ctyPlacesFault'), param: 'places' } };
          }}
          submit={t('ctyAdd')}
          done={t('uiSaved')}
        >
          <TextInput
            name="places"
            label={t('ctyPlaces')}
            hint={t('ctyPlacesHint')}
            autoComplete="off"
            maxLength={1000}
            dir="ltr"
            required
          />
          <Select
            name="tokens"
            label={t('ctyTokens')}
            value={chosen}
            onChange={({ target }) => setChosen(target.value)}
            options={Object.keys(CHOICES).map((value) => ({
              value,
              label: value === 'none' ? t('ctyNoToken') : t('ctyOnly', { token: value }),
            }))}
          />
        </ActionForm>
      )}
    </div>
  );
}

/** Codes are in upper case, and `unknown` is not. */
const placeOf = (typed: string): string => (typed.toLowerCase() === 'unknown' ? 'unknown' : typed.toUpperCase());

type ListProps = { readonly rules: readonly CountryRule[]; readonly action?: (at: number) => ReactNode };

function List({ rules, action }: ListProps) {
  const { t } = useWords();
  return (
    <ul className="grid gap-2">
      {rules.map(({ places, tokens }, at) => (
        // Equal rules can stand twice.
        <li
          key={`${at} ${places.join(' ')}`}
          className="flex flex-wrap items-center justify-between gap-2"
          data-country-rule
        >
          <span>
            <bdi className="font-semibold">
              {places.map((one) => (one === 'unknown' ? t('ctyUnknown') : one)).join(', ')}
            </bdi>
            {': '}
            {tokens.length === 0
              ? t('ctyNoToken')
              : tokens.length > 1
                ? tokens.join(', ')
                : t('ctyOnly', { token: tokens[0] ?? '' })}
          </span>
          {action?.(at)}
        </li>
      ))}
    </ul>
  );
}
