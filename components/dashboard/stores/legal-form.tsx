'use client';
// Who sells, as receipts name them. The three fields are saved together; empty name and address remove them.

import { ActionForm } from '@/components/dashboard/action-form';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { useStoreVersion } from './use-store-version';

type Props = {
  readonly storeId: string;
  readonly version: number;
  readonly details: {
    readonly name: string | null;
    readonly address: string | null;
    readonly vatNumber: string | null;
  };
  readonly isReadOnly: boolean;
};

export function LegalForm({ storeId, version, details, isReadOnly }: Props) {
  const { t } = useWords();
  const handleVersionConflict = useStoreVersion();
  return (
    <ActionForm
      key={version}
      send={async (api, form) =>
        handleVersionConflict(await api.patch(`/stores/${storeId}`, { version, legal_details: detailsOf(form) }))
      }
      submit={t('uiSave')}
      done={t('uiSaved')}
      isReadOnly={isReadOnly}
    >
      <TextInput
        name="legal_name"
        label={t('setLegalName')}
        defaultValue={details.name ?? ''}
        isOptional
        maxLength={120}
        autoComplete="organization"
      />
      <TextArea
        name="legal_address"
        label={t('setLegalAddress')}
        defaultValue={details.address ?? ''}
        isOptional
        maxLength={610}
        rows={4}
      />
      <TextInput
        name="vat_number"
        label={t('setVatNumber')}
        hint={t('setVatNumberHint')}
        defaultValue={details.vatNumber ?? ''}
        isOptional
        maxLength={30}
        autoComplete="off"
        dir="ltr"
      />
    </ActionForm>
  );
}

/** Null removes the details. A field that is missing beside another one is refused by its name. */
function detailsOf(form: FormData) {
  const [name, address, vatNumber] = ['legal_name', 'legal_address', 'vat_number'].map((field) =>
    formText(form, field),
  );
  if ([name, address, vatNumber].every((text) => text?.trim() === '')) return null;
  return { legal_name: name, legal_address: address, vat_number: vatNumber?.trim() === '' ? null : vatNumber };
}
