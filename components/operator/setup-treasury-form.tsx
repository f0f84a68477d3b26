'use client';
// The wallets to which the money goes, for the first set-up. A contract is taken only once the operator has confirmed it.

import { useState } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import { useRefusalText } from '@/components/dashboard/payouts/refusal-text';
import { Checkbox } from '@/components/ui/checkbox';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords, type MessageKey } from '@/components/ui/words';

type Props = {
  readonly wallets: readonly { readonly network: string; readonly name: string; readonly address: string }[];
  readonly isDirect: boolean;
};
type Refusal = { readonly network: string; readonly code: string; readonly looksLike?: string };
type Answered = { readonly done: true } | { readonly refused: Refusal };

export function SetupTreasuryForm({ wallets, isDirect }: Props) {
  const { t } = useWords();
  const [isContract, setIsContract] = useState(false);
  const refusalText = useRefusalText();
  const faultText = (refusal: Refusal): string => {
    const key = `setupTreasury_${refusal.code}` as MessageKey;
    return t.has(key) ? t(key as 'setupTreasury_no_wallet') : refusalText(refusal);
  };
  return (
    <ActionForm<Answered>
      send={async (api, form) => {
        const typed = wallets.map(({ network }) => [network, formText(form, network).trim()] as const);
        const answer = await api.post<Answered>('/operator/setup/treasury', {
          wallets: Object.fromEntries(typed.filter(([, address]) => address !== '')),
          is_direct: form.has('direct'),
          are_contracts_confirmed: form.has('contracts'),
        });
        if ('fault' in answer || !('refused' in answer.value)) return answer;
        const { refused } = answer.value;
        if (refused.code === 'contract') setIsContract(true);
        const param = refused.network === '' ? (wallets[0]?.network ?? '') : refused.network;
        return { fault: { code: 'INVALID_PARAMETER', message: faultText(refused), param } };
      }}
      submit={t('setupTreasurySave')}
      submitKind="secondary"
      done={t('uiSaved')}
    >
      {wallets.map(({ network, name, address }) => (
        <TextInput
          key={network}
          name={network}
          label={name}
          defaultValue={address}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          maxLength={100}
          isOptional
        />
      ))}
      {isContract && <Checkbox name="contracts" label={t('setupTreasuryContracts')} />}
      <Checkbox
        name="direct"
        label={t('setupTreasuryDirect')}
        hint={t('setupTreasuryDirectHint')}
        defaultChecked={isDirect}
      />
    </ActionForm>
  );
}
