'use client';
// A store's look for its customers. All fields are sent together, because the server clears omitted ones. The preview
// beside the form receives every change.

import { useEffect, useState } from 'react';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { StoreLook } from '@/lib/merchants/branding/look';
import { ActionForm } from '@/components/dashboard/action-form';
import { BrandField } from './brand-field';
import type { Draft } from './preview';

const THEMES = ['auto', 'light', 'dark'] as const;

type Props = {
  readonly storeId: string;
  /** Shown if no other name is set. */
  readonly storeName: string;
  readonly look: Omit<StoreLook, 'logo'>;
  readonly mostOrigins: number;
  readonly isReadOnly: boolean;
  readonly onDraft: (draft: Draft) => void;
};

export function LookForm(props: Props) {
  const { storeId, isReadOnly } = props;
  const { t } = useWords();
  return (
    <ActionForm
      send={(api, form) => api.post(`/stores/${storeId}/look`, bodyOf(form))}
      submit={t('uiSave')}
      done={t('uiSaved')}
      isReadOnly={isReadOnly}
    >
      <Inputs {...props} />
    </ActionForm>
  );
}

function Inputs({ storeName, look, mostOrigins, onDraft }: Props) {
  const { t } = useWords();
  const [name, setName] = useState(look.displayName ?? '');
  const [color, setColor] = useState(look.brandColor ?? '');
  const [theme, setTheme] = useState(look.theme);
  const [contact, setContact] = useState(look.supportContact ?? '');
  useEffect(() => onDraft({ name, color, theme, contact }), [onDraft, name, color, theme, contact]);
  const themes = theme === 'auto' ? (['light', 'dark'] as const) : [theme];
  return (
    <>
      <TextInput
        name="display_name"
        label={t('lookName')}
        hint={t('lookNameHint', { name: storeName })}
        value={name}
        onChange={(event) => setName(event.target.value)}
        isOptional
        maxLength={100}
        autoComplete="off"
      />
      <BrandField value={color} onChange={setColor} themes={themes} />
      <Select
        name="theme"
        label={t('lookTheme')}
        value={theme}
        onChange={(event) => setTheme(THEMES.find((one) => one === event.target.value) ?? 'auto')}
        options={THEMES.map((value) => ({ value, label: t(`lookTheme_${value}`) }))}
      />
      <TextInput
        name="support_contact"
        label={t('storeSupport')}
        hint={t('storeSupportHint')}
        value={contact}
        onChange={(event) => setContact(event.target.value)}
        isOptional
        maxLength={254}
        autoComplete="off"
      />
      <TextArea
        name="embed_origins"
        label={t('lookOrigins')}
        hint={t('lookOriginsHint', { most: mostOrigins })}
        defaultValue={look.embedOrigins.join('\n')}
        isOptional
        rows={3}
        spellCheck={false}
        autoCapitalize="none"
      />
    </>
  );
}

const bodyOf = (form: FormData): object => ({
  display_name: formText(form, 'display_name'),
  brand_color: formText(form, 'brand_color'),
  theme: formText(form, 'theme'),
  support_contact: formText(form, 'support_contact'),
  embed_origins: formText(form, 'embed_origins')
    .split(/\s+/)
    .filter((line) => line !== ''),
});
