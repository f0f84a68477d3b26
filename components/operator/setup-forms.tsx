'use client';
// The forms of the first set-up: endpoints, treasury wallets, mail and limits. The server tests each one's typed values
// and shows the result below it. Endpoints and passwords are sent and never shown again.

import { useState } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { useAction } from '@/components/dashboard/use-action';
import { Button } from '@/components/ui/button';
import { PasswordInput, TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { centsOf } from './cents';

type Finding = { readonly state: 'ok' | 'warn' | 'fail'; readonly message: string };
type Tried = { readonly is_saved: boolean; readonly findings: readonly Finding[] };

const refusal = (param: string, message: string): Answer<never> => ({
  fault: { code: 'SETUP_REFUSED', message, param },
});

type Place = { readonly network: string; readonly environment: 'live' | 'test' };
type NetworkProps = Place & { readonly name: string; readonly isSaved: boolean };

export function SetupNetworkForm({ network, environment, name, isSaved }: NetworkProps) {
  const { t } = useWords();
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  return (
    <div className="grid gap-3">
      <ActionForm<Tried>
        send={async (api, form) => {
          setFindings([]);
          const key = formText(form, 'api_key').trim();
          const body = {
            ...{ network, environment, endpoints: formText(form, 'endpoints') },
            ...(key === '' ? {} : { api_key: key }),
          };
          const answer = await api.post<Tried>('/operator/setup/networks', body);
          if (!('value' in answer)) return answer;
          setFindings(answer.value.findings);
          return answer.value.is_saved ? answer : refusal('endpoints', t('setupNetworkFailed', { network: name }));
        }}
        submit={t('setupNetworkSave')}
        submitKind="secondary"
        done={t('uiSaved')}
        isCleared
        actions={isSaved && <RemoveNetwork {...{ network, environment }} />}
      >
        <TextArea
          name="endpoints"
          label={t('setupEndpoints')}
          hint={t(
            isSaved ? 'setupEndpointsAgain' : environment === 'test' ? 'setupTestEndpointsHint' : 'setupEndpointsHint',
          )}
          defaultValue={environment === 'test' && !isSaved ? 'default' : ''}
          rows={3}
          maxLength={4000}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          required
        />
        {network === 'tron' && (
          <PasswordInput name="api_key" label={t('setupTronKey')} hint={t('setupTronKeyHint')} autoComplete="off" />
        )}
      </ActionForm>
      <div role="status">
        <ul className="m-0 grid list-none gap-1 p-0 text-[0.8125rem]">
          {findings.map(({ state, message }) => (
            <li key={message} lang="en" dir="ltr" className={state === 'fail' ? 'text-bad' : 'text-muted'}>
              {message}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function RemoveNetwork({ network, environment }: Place) {
  const { t } = useWords();
  const { run, isPending } = useAction<void, Tried>(
    (api) => api.post('/operator/setup/networks', { network, environment, endpoints: '' }),
    { done: t('uiSaved') },
  );
  return (
    <Button kind="quiet" isPending={isPending} onClick={() => void run()}>
      {t('setupNetworkRemove')}
    </Button>
  );
}

/** A number is the mail server's response (lib/merchants/mail/failure-code.ts); any other code means that there was none. */
const mailFailureCode = (code: string) =>
  code === 'ETLS'
    ? 'setupMailNoTls'
    : /^E(?!AUTH|ENVELOPE|MESSAGE)[A-Z]+$/.test(code)
      ? 'setupMailAway'
      : 'setupMailRefused';

const ENCRYPTIONS = ['tls', 'starttls', 'none'] as const;

export function SetupMailForm({ email, from }: { email: string; from: string | null }) {
  const { t } = useWords();
  const plain = { autoComplete: 'off', spellCheck: false, autoCapitalize: 'none', maxLength: 200 } as const;
  return (
    <ActionForm<{ trouble: string | null }>
      send={async (api, form) => {
        const field = (name: string) => formText(form, name).trim();
        const answer = await api.post<{ trouble: string | null }>('/operator/setup/mail', {
          ...{ host: field('host'), port: Number(field('port')), encryption: field('encryption'), from: field('from') },
          ...{ user: field('user'), password: formText(form, 'password') },
        });
        if (!('value' in answer) || answer.value.trouble === null) return answer;
        return refusal('host', t(mailFailureCode(answer.value.trouble), { code: answer.value.trouble }));
      }}
      submit={t('setupMailSave')}
      submitKind="secondary"
      done={t('setupMailSent', { email })}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput name="host" label={t('setupMailHost')} required {...plain} />
        <TextInput
          name="port"
          label={t('setupMailPort')}
          type="number"
          min={1}
          max={65_535}
          defaultValue="465"
          required
        />
        <Select
          name="encryption"
          label={t('setupMailEncryption')}
          options={ENCRYPTIONS.map((value) => ({ value, label: t(`setupMailEncryption_${value}`) }))}
        />
        <TextInput
          name="from"
          label={t('setupMailFrom')}
          hint={t('setupMailFromHint')}
          defaultValue={from ?? ''}
          required
          {...plain}
        />
        <TextInput name="user" label={t('setupMailUser')} isOptional {...plain} />
        <PasswordInput name="password" label={t('setupMailPassword')} autoComplete="off" />
      </div>
    </ActionForm>
  );
}

const AMOUNTS = ['per_refund', 'per_hour', 'per_day', 'approval_above'] as const;
type Amounts = Readonly<Record<(typeof AMOUNTS)[number], string>>;

/** `saved`: as decimal texts. */
export function SetupLimitsForm({ saved }: { saved: Amounts }) {
  const { t } = useWords();
  return (
    <ActionForm
      send={(api, form) => {
        const typed = AMOUNTS.map((name) => [name, centsOf(formText(form, name))] as const);
        const wrong = typed.find(([, cents]) => cents === null);
        if (wrong) return Promise.resolve(refusal(wrong[0], t('operatorLimitsAmountWrong')));
        const [refund = 0n, hour = 0n, day = 0n, approval = 0n] = typed.map(([, cents]) => BigInt(cents ?? 0));
        if (refund > hour || hour > day)
          return Promise.resolve(refusal(refund > hour ? 'per_refund' : 'per_hour', t('setupLimitsOrder')));
        if (approval >= refund) return Promise.resolve(refusal('approval_above', t('setupLimitsApproval')));
        return api.post('/operator/setup/limits', {
          ...{ per_refund: decimal(refund), per_hour: decimal(hour) },
          ...{ per_day: decimal(day), approval_above: decimal(approval) },
        });
      }}
      submit={t('operatorLimitsSave')}
      submitKind="secondary"
      done={t('uiSaved')}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {AMOUNTS.map((name) => (
          <TextInput
            key={name}
            name={name}
            label={t(`setupLimit_${name}`)}
            defaultValue={saved[name]}
            inputMode="decimal"
            autoComplete="off"
            maxLength={20}
            required
          />
        ))}
      </div>
    </ActionForm>
  );
}

const decimal = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
