// What an operator can do about another user, each asked first with what it means.

import type { UserRow } from '@/lib/accounts/users-admin';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AskButton } from './ask-button';
import { ConfirmLink } from './confirm-link';

export function UserActions({ t, row }: { t: DashboardWords['t']; row: UserRow }) {
  const path = `/operator/users/${row.id}`;
  const name = row.email;
  const common = { isSmall: true, done: t('operatorDecidedDone') };
  const isOperator = row.role === 'operator';
  return (
    <span className="inline-flex flex-wrap justify-end gap-1.5">
      {!row.emailConfirmedAt && !row.disabledAt && <ConfirmLink userId={row.id} name={name} />}
      {isOperator && !row.isProtected && !row.disabledAt && (
        <AskButton
          {...common}
          trigger={t('operatorUserFactor')}
          title={t('operatorUserFactorAsk', { name })}
          text={t('operatorUserFactorText')}
          submit={t('operatorUserFactor')}
          path={`${path}/allow-factor`}
        />
      )}
      {!row.disabledAt && (isOperator || row.stores === 0) && (
        <AskButton
          {...common}
          trigger={isOperator ? t('operatorUserToMerchant') : t('operatorUserToOperator')}
          title={isOperator ? t('operatorUserToMerchantAsk', { name }) : t('operatorUserToOperatorAsk', { name })}
          text={isOperator ? t('operatorUserToMerchantText') : t('operatorUserToOperatorText')}
          submit={isOperator ? t('operatorUserToMerchant') : t('operatorUserToOperator')}
          submitKind={isOperator ? 'danger' : 'primary'}
          path={`${path}/role`}
          body={{ role: isOperator ? 'merchant' : 'operator' }}
        />
      )}
      {row.disabledAt ? (
        <AskButton
          {...common}
          trigger={t('operatorUserEnable')}
          title={t('operatorUserEnableAsk', { name })}
          text={t('operatorUserEnableText')}
          submit={t('operatorUserEnable')}
          path={`${path}/enable`}
        />
      ) : (
        <AskButton
          {...common}
          trigger={t('operatorUserDisable')}
          title={t('operatorUserDisableAsk', { name })}
          text={t('operatorUserDisableText')}
          submit={t('operatorUserDisable')}
          submitKind="danger"
          path={`${path}/disable`}
        />
      )}
    </span>
  );
}
