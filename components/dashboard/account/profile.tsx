'use client';
// Name, e-mail address, password and language of the signed-in user.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { PasswordInput, TextInput } from '@/components/ui/field';
import { formText as text } from '@/components/ui/form-text';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import { DASHBOARD_LOCALES } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS } from '@/lib/i18n/locales';
import { Select } from '@/components/ui/select';
import { ActionForm } from '@/components/dashboard/action-form';

export function ProfileForm({ name, email }: { name: string; email: string }) {
  const { t } = useWords();
  return (
    <div className="grid max-w-md gap-4">
      <ActionForm
        send={(api, form) => api.post('/account/profile', { name: text(form, 'name') })}
        submit={t('uiSave')}
        submitKind="secondary"
        done={t('uiSaved')}
        actions={<EmailChange email={email} />}
      >
        <TextInput name="name" label={t('authName')} autoComplete="name" maxLength={100} defaultValue={name} />
        <TextInput name="email" label={t('authEmail')} value={email} readOnly />
      </ActionForm>
    </div>
  );
}

function EmailChange({ email }: { email: string }) {
  const { t } = useWords();
  const toast = useToast();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setIsOpen(true)}>
        {t('accountEmailChange')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('accountEmailChange')}
        text={t('accountEmailText')}
      >
        <ActionForm
          send={async (api, form) => {
            const wish = text(form, 'email');
            const answer = await api.post('/account/email', { email: wish });
            return 'fault' in answer ? answer : { value: wish };
          }}
          onDone={(wish) => {
            setIsOpen(false);
            toast(t('accountEmailSent', { email: wish }));
          }}
          submit={t('accountSend')}
          isQuiet
        >
          <TextInput
            name="email"
            label={t('accountEmailNew')}
            hint={email}
            type="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
            required
          />
        </ActionForm>
      </Dialog>
    </>
  );
}

export function PasswordForm({ email, shortest }: { email: string; shortest: number }) {
  const { t } = useWords();
  return (
    <div className="max-w-md">
      <ActionForm
        send={(api, form) =>
          api.post('/account/password', { current: text(form, 'current'), password: text(form, 'password') })
        }
        submit={t('accountPasswordChange')}
        submitKind="secondary"
        done={t('accountPasswordChanged')}
        isCleared
      >
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordInput name="current" label={t('accountPasswordCurrent')} autoComplete="current-password" required />
        <PasswordInput
          name="password"
          label={t('authNewPassword')}
          hint={t('authPasswordHint', { count: shortest })}
          autoComplete="new-password"
          minLength={shortest}
          required
        />
      </ActionForm>
    </div>
  );
}

/** The language of the pages and mails. */
export function LanguageForm() {
  const { t, locale } = useWords();
  return (
    <div className="max-w-md">
      <ActionForm
        send={async (api, form) => {
          const wish = text(form, 'locale');
          const answer = await api.post('/account/profile', { locale: wish });
          return 'fault' in answer ? answer : { value: wish };
        }}
        // A full load of the address through which proxy.ts stores the choice.
        onDone={(wish) => window.location.assign(`?lang=${wish}`)}
        submit={t('uiSave')}
        submitKind="secondary"
        isQuiet
      >
        <Select
          name="locale"
          label={t('uiLanguage')}
          defaultValue={locale}
          options={DASHBOARD_LOCALES.map((one) => ({ value: one, label: LOCALE_FACTS[one].name }))}
        />
      </ActionForm>
    </div>
  );
}
