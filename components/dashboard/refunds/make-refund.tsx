'use client';
// A full or partial refund of a payment. The amount is checked as decimal text and sent in whole cents. The refund has
// one name however often the dialog is opened: a retry after a lost response is the same refund.

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Address } from '@/components/ui/address';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { PaymentView } from '@/lib/dashboard/payment/payment';
import { ActionForm } from '@/components/dashboard/action-form';
import { newName } from '@/components/dashboard/new-name';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { amountOf, centsOf } from '@/components/dashboard/typed-amount';

type Props = {
  readonly api: string;
  readonly base: string;
  readonly sessionId: string;
  readonly currency: string;
  /** The destination. */
  readonly network: string;
  /** Decimal text of the amount that can still be refunded. */
  readonly most: string;
  /** The customer's refund address, or else the payer's; null when neither is certain. */
  readonly goesTo: { readonly address: string; readonly isGiven: boolean } | null;
  /** The payers and their refundable amounts, if several people paid; otherwise empty. */
  readonly payers: PaymentView['payers'];
};

const REASONS = ['requested_by_customer', 'duplicate', 'fraudulent'] as const;

export function MakeRefund({ api, base, sessionId, currency, network, most, goesTo, payers }: Props) {
  const { t, format } = useWords();
  const networkName = useNetworkName();
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [ownName, setOwnName] = useState(newOwnName);
  const [typed, setTyped] = useState(most);
  const amount = amountOf(typed);
  return (
    <>
      <Button kind="primary" icon="refunds" onClick={() => setIsOpen(true)}>
        {t('refMake')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('refMake')}
        text={t('refMakeText', { currency, network: networkName(network) })}
      >
        {payers.length === 0 && <Destination goesTo={goesTo} network={networkName(network)} />}
        <ActionForm<{ id: string | null }>
          send={async (call, form) => {
            const cents = centsOf(formText(form, 'amount'));
            if (cents === null)
              return { fault: { code: 'INVALID_AMOUNT', message: t('refAmountFault'), param: 'amount' } };
            return call.post(`${api}/refunds`, {
              session_id: sessionId,
              amount: cents,
              currency,
              reason: formText(form, 'reason') || undefined,
              description: formText(form, 'description') || undefined,
              refund_id: formText(form, 'refund_id') || ownName,
              to: formText(form, 'to') || undefined,
            });
          }}
          submit={amount === null ? t('refMake') : t('refMakeAmount', { amount: format.money(amount, currency) })}
          done={t('refMade')}
          onDone={({ id }) => {
            setOwnName(newOwnName());
            router.push(id === null ? `${base}/refunds` : `${base}/refunds/${id}`);
          }}
          isQuiet
          isWide
        >
          <TextInput
            name="amount"
            label={t('refAmount', { currency })}
            hint={t('refMost', { amount: format.money(most, currency) })}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
            required
          />
          {payers.length > 0 && <WhoGetsIt payers={payers} />}
          <Select
            name="reason"
            label={t('refReason')}
            options={[
              { value: '', label: t('refReason_none') },
              ...REASONS.map((value) => ({ value, label: t(`refReason_${value}`) })),
            ]}
          />
          <TextArea
            name="description"
            label={t('refDescription')}
            hint={t('refDescriptionHint')}
            isOptional
            maxLength={1000}
            rows={2}
          />
          <TextInput
            name="refund_id"
            label={t('refOwnName')}
            hint={t('refOwnNameHint')}
            isOptional
            isMono
            maxLength={128}
            autoComplete="off"
          />
        </ActionForm>
      </Dialog>
    </>
  );
}

/** Shown before the refund is made: it cannot be reversed afterwards. */
function Destination({ goesTo, network }: Pick<Props, 'goesTo'> & { network: string }) {
  const { t } = useWords();
  if (goesTo === null) {
    return (
      <Note tone="info" title={t('refDestination')}>
        {t('refTo_customer')}
      </Note>
    );
  }
  return (
    <Note tone="info" title={`${t(goesTo.isGiven ? 'refDestination_claim' : 'refDestination_payer')} · ${network}`}>
      <Address text={goesTo.address} />
    </Note>
  );
}

/** If several people paid, one refund could only go to one of them. */
function WhoGetsIt({ payers }: Pick<Props, 'payers'>) {
  const { t, format } = useWords();
  return (
    <>
      <Select
        name="to"
        label={t('refTo')}
        hint={t('refToHint')}
        options={[
          { value: 'customer', label: t('refTo_customer') },
          { value: 'payers', label: t('refTo_payers') },
        ]}
      />
      <ul className="m-0 grid list-none gap-1 p-0 text-[0.8125rem] text-muted">
        {payers.map(({ network, currency, address, left }) => (
          <li key={`${network} ${currency} ${address}`}>
            {t('refToLeft', { amount: format.money(left, currency) })} <Address text={address} />
          </li>
        ))}
      </ul>
    </>
  );
}

const newOwnName = (): string => `dash_${newName()}`;
