'use client';
// The fields of visitors who are not signed in, with the attributes that password managers need.

import { PasswordInput, TextInput } from '@/components/ui/field';
import { useWords } from '@/components/ui/words';

export function Email() {
  const { t } = useWords();
  return (
    <TextInput
      name="email"
      label={t('authEmail')}
      type="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={254}
      required
    />
  );
}

export function NewPassword({ shortest, label }: { shortest: number; label: string }) {
  const { t } = useWords();
  const hint = t('authPasswordHint', { count: shortest });
  return (
    <PasswordInput
      name="password"
      label={label}
      hint={hint}
      autoComplete="new-password"
      minLength={shortest}
      required
    />
  );
}
