'use client';
// The authenticator and the recovery codes: set up by scanning and proving, shown once, renewed, removed.

import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { CopyText } from '@/components/ui/copy-field';
import { Confirm, Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';
import { RecoveryCodes } from './recovery-codes';

type Enrolment = { readonly secret: string; readonly uri: string };
type WithCodes = { readonly recovery_codes: readonly string[] };

export function TwoFactor({ hasTotp }: { hasTotp: boolean }) {
  const { t } = useWords();
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const start = useAction((api) => api.post<Enrolment>('/account/totp/enrol'), { isQuiet: true, onDone: setEnrolment });
  const stop = useAction((api) => api.post('/account/totp/remove'), { done: t('accountTotpStopped') });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Badge tone={hasTotp ? 'good' : 'warn'}>{hasTotp ? t('accountTotpOn') : t('accountTotpOff')}</Badge>
      {hasTotp ? (
        <Confirm
          trigger={t('accountTotpStop')}
          title={t('accountTotpStopTitle')}
          text={t('accountTotpStopText')}
          confirm={t('accountTotpStop')}
          isDangerous
          onConfirm={() => stop.run(undefined)}
        />
      ) : (
        <Button kind="primary" isPending={start.isPending} onClick={() => void start.run(undefined)}>
          {t('accountTotpStart')}
        </Button>
      )}
      <Dialog isOpen={enrolment !== null} onClose={() => setEnrolment(null)} title={t('accountTotpSetup')}>
        {enrolment && (
          <Enrol
            enrolment={enrolment}
            onDone={({ recovery_codes }) => {
              setEnrolment(null);
              setCodes(recovery_codes);
            }}
          />
        )}
      </Dialog>
      <RecoveryCodes codes={codes} onKept={() => setCodes([])} />
    </div>
  );
}

function Enrol({ enrolment, onDone }: { enrolment: Enrolment; onDone: (answer: WithCodes) => void }) {
  const { t } = useWords();
  return (
    <>
      <p className="text-muted">{t('accountTotpScan')}</p>
      {/* White in both themes: cameras read dark on light. */}
      <div className="mx-auto w-fit rounded-xl border border-line bg-[#fff] p-3">
        <QRCodeSVG value={enrolment.uri} size={176} level="M" title={t('accountTotpCode')} />
      </div>
      <div className="grid gap-1">
        <span className="font-semibold">{t('accountTotpSecret')}</span>
        <CopyText text={enrolment.secret} label={t('accountTotpSecret')} />
      </div>
      <ActionForm
        send={(api, form) => api.post<WithCodes>('/account/totp/confirm', { code: formText(form, 'code') })}
        onDone={onDone}
        submit={t('accountTotpConfirm')}
        isWide
      >
        <TextInput
          name="code"
          label={t('accountTotpProve')}
          autoComplete="one-time-code"
          inputMode="numeric"
          pattern="[0-9 ]*"
          maxLength={7}
          isMono
          required
        />
      </ActionForm>
    </>
  );
}

/** The number of recovery codes left, and a button that replaces them. */
export function RecoveryRenewal() {
  const { t } = useWords();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const renew = useAction((api) => api.post<WithCodes>('/account/recovery-codes'), {
    onDone: ({ recovery_codes }) => setCodes(recovery_codes),
  });
  return (
    <>
      <Confirm
        trigger={t('accountRecoveryNew')}
        title={t('accountRecoveryNewTitle')}
        text={t('accountRecoveryNewText')}
        confirm={t('accountRecoveryNew')}
        onConfirm={() => renew.run(undefined)}
      />
      <RecoveryCodes codes={codes} onKept={() => setCodes([])} />
    </>
  );
}
