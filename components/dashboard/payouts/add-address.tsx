'use client';
// Adds a payout address. What needs a confirmation is asked for only after the server found that it does.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select, type Option } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import type { Api } from '@/components/dashboard/step-up';
import { ProveAddress } from './prove-address';
import { useRefusalText, type Refused } from './refusal-text';

type Props = {
  readonly api: string;
  readonly networks: readonly Option[];
  /** How long a new address waits, as text. */
  readonly wait: string;
};
type Added = { readonly id: string };
/** What the server asked to confirm, by the address that it is about. */
type ToConfirm = { readonly address: string; readonly contract: boolean; readonly lookAlike: boolean };

export function AddPayoutAddress({ api, networks, wait }: Props) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        {t('padAdd')}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('padAdd')} text={t('padAddText', { wait })}>
        <Form api={api} networks={networks} onAdded={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

const NOTHING: ToConfirm = { address: '', contract: false, lookAlike: false };

function Form({ api, networks, onAdded }: Omit<Props, 'wait'> & { readonly onAdded: () => void }) {
  const { t } = useWords();
  const refusalText = useRefusalText();
  const [network, setNetwork] = useState(networks[0]?.value ?? '');
  const [address, setAddress] = useState('');
  const [requestedAt, setRequestedAt] = useState<string | null>(null);
  const [confirming, setConfirming] = useState(NOTHING);
  // A question about another address is no longer asked.
  const asked = confirming.address === `${network} ${address.trim()}` ? confirming : NOTHING;

  const send = async (call: Api, form: FormData): Promise<Answer<Added>> => {
    const signature = formText(form, 'signature').trim();
    const answer = await call.post<Added | Refused>(`${api}/payout-addresses`, {
      network,
      address: address.trim(),
      is_contract_confirmed: form.has('is_contract_confirmed'),
      is_look_alike_confirmed: form.has('is_look_alike_confirmed'),
      ...(signature !== '' && requestedAt !== null ? { proof: { signature, requested_at: requestedAt } } : {}),
    });
    if ('fault' in answer) return answer;
    const { value } = answer;
    if (!('refused' in value)) return { value };
    const { code } = value.refused;
    const about = { ...asked, address: `${network} ${address.trim()}` };
    if (code === 'contract') setConfirming({ ...about, contract: true });
    if (code === 'look_alike') setConfirming({ ...about, lookAlike: true });
    const param = code === 'not_signed' ? 'signature' : 'address';
    return { fault: { code, message: refusalText(value.refused), param } };
  };
  return (
    <ActionForm<Added> send={send} submit={t('padSubmit')} done={t('padDone')} onDone={onAdded} isWide>
      <Select
        name="network"
        label={t('payNetwork')}
        value={network}
        onChange={(event) => setNetwork(event.currentTarget.value)}
        options={networks}
      />
      <TextInput
        name="address"
        label={t('padAddress')}
        hint={t('padAddressHint')}
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        maxLength={100}
        required
        isMono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      {asked.contract && <Checkbox name="is_contract_confirmed" label={t('padConfirmContract')} />}
      {asked.lookAlike && <Checkbox name="is_look_alike_confirmed" label={t('padConfirmLookAlike')} />}
      <ProveAddress key={`${network} ${address}`} {...{ api, network, address }} onShown={setRequestedAt} />
    </ActionForm>
  );
}
