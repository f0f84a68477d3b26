'use client';
// A store's look for its customers. All fields are sent together, because the server clears omitted ones. The preview
// beside the form receives every change.

import { useEffect, useState } from 'react';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { StoreBranding } from '@/lib/merchants/branding/branding';
import { ActionForm } from '@/components/dashboard/action-form';
import { BrandField } from './brand-field';
import type { Draft } from './preview';

const THEMES = ['auto', 'light', 'dark'] as const;

type Props = {
  readonly storeId: string;
  /** Shown if no other name is set. */
  readonly storeName: string;
  readonly branding: Omit<StoreBranding, 'logo'>;
  readonly mostOrigins: number;
  readonly isReadOnly: boolean;
  readonly onDraft: (draft: Draft) => void;
};

export function BrandingForm(props: Props) {
  const { storeId, isReadOnly } = props;
  const { t } = useWords();
  return (
    <ActionForm
      send={(api, form) => api.post(`/stores/${storeId}/branding`, bodyOf(form))}
      submit={t('uiSave')}
      done={t('uiSaved')}
      isReadOnly={isReadOnly}
    >
      <Inputs {...props} />
    </ActionForm>
  );
}

function Inputs({ storeName, branding, mostOrigins, onDraft }: Props) {
  const { t } = useWords();
  const [name, setName] = useState(branding.displayName ?? '');
  const [color, setColor] = useState(branding.brandColor ?? '');
  const [theme, setTheme] = useState(branding.theme);
  const [contact, setContact] = useState(branding.supportContact ?? '');
  useEffect(() => onDraft({ name, color, theme, contact }), [onDraft, name, color, theme, contact]);
  const themes = theme === 'auto' ? (['light', 'dark'] as const) : [theme];
  return (
    <>
      <TextInput
        name="display_name"
        label={t('brandingName')}
        hint={t('brandingNameHint', { name: storeName })}
        value={name}
        onChange={(event) => setName(event.target.value)}
        isOptional
        maxLength={100}
        autoComplete="off"
      />
      <BrandField value={color} onChange={setColor} themes={themes} />
      <Select
        name="theme"
        label={t('brandingTheme')}
        value={theme}
        onChange={(event) => setTheme(THEMES.find((one) => one === event.target.value) ?? 'auto')}
        options={THEMES.map((value) => ({ value, label: t(`brandingTheme_${value}`) }))}
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
        label={t('brandingOrigins')}
        hint={t('brandingOriginsHint', { most: mostOrigins })}
        defaultValue={branding.embedOrigins.join('\n')}
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
