// The actions on another user, each explained and confirmed first.

import type { UserRow } from '@/lib/merchants/accounts/users-admin';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmMenu } from './confirm-button';

export function UserActions({ t, row }: { t: DashboardWords['t']; row: UserRow }) {
  const path = `/operator/users/${row.id}`;
  const name = row.email;
  const done = t('operatorDecidedDone');
  const isOperator = row.role === 'operator';
  const factor = {
    trigger: t('operatorUserFactor'),
    title: t('operatorUserFactorTitle', { name }),
    text: t('operatorUserFactorText'),
    path: `${path}/allow-factor`,
    done,
  };
  const role = {
    trigger: isOperator ? t('operatorUserToMerchant') : t('operatorUserToOperator'),
    title: isOperator ? t('operatorUserToMerchantTitle', { name }) : t('operatorUserToOperatorTitle', { name }),
    text: isOperator ? t('operatorUserToMerchantText') : t('operatorUserToOperatorText'),
    submitKind: isOperator ? 'danger' : 'primary',
    path: `${path}/role`,
    body: { role: isOperator ? 'merchant' : 'operator' },
    done,
  } as const;
  const enable = {
    trigger: t('operatorUserEnable'),
    title: t('operatorUserEnableTitle', { name }),
    text: t('operatorUserEnableText'),
    path: `${path}/enable`,
    done,
  };
  const disable = {
    trigger: t('operatorUserDisable'),
    title: t('operatorUserDisableTitle', { name }),
    text: t('operatorUserDisableText'),
    submitKind: 'danger',
    path: `${path}/disable`,
    done,
  } as const;
  const actions = [
    ...(isOperator && !row.isProtected && !row.disabledAt ? [factor] : []),
    ...(!row.disabledAt && (isOperator || row.stores === 0) ? [role] : []),
    row.disabledAt ? enable : disable,
  ];
  return <ConfirmMenu name={name} actions={actions} />;
}
