'use client';
// Inviting a member, changing their role, and removing them.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Checkbox, Choices } from '@/components/ui/checkbox';
import { Confirm, ConfirmDialog, Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { RowMenu } from '@/components/ui/row-menu';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { MadeKey } from '@/lib/dashboard/lists/members';
import { MEMBER_ROLES } from '@/lib/merchants/members/roles';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';

type MemberRole = (typeof MEMBER_ROLES)[number];

function RoleSelect({ first }: { first: MemberRole }) {
  const { t } = useWords();
  return (
    <Select
      name="role"
      label={t('memRole')}
      defaultValue={first}
      options={MEMBER_ROLES.map((value) => ({ value, label: `${t(`role_${value}`)} – ${t(`memRole_${value}`)}` }))}
    />
  );
}

export function InviteMember({ storeId }: { storeId: string }) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        {t('memInvite')}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('memInvite')} text={t('memInviteText')}>
        <ActionForm
          send={(api, form) =>
            api.post(`/stores/${storeId}/members/invite`, {
              email: formText(form, 'email'),
              role: formText(form, 'role'),
            })
          }
          submit={t('memInviteSend')}
          done={t('memInvited')}
          onDone={() => setIsOpen(false)}
          isWide
        >
          <TextInput name="email" type="email" label={t('authEmail')} required maxLength={254} autoComplete="off" />
          <RoleSelect first="support" />
        </ActionForm>
      </Dialog>
    </>
  );
}

type MemberProps = {
  readonly storeId: string;
  readonly userId: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly isSelf: boolean;
  readonly keys: readonly MadeKey[];
};

export function MemberActions({ storeId, userId, name, role, isSelf, keys }: MemberProps) {
  const { t } = useWords();
  const [openDialog, setOpenDialog] = useState<'role' | 'remove' | null>(null);
  const close = () => setOpenDialog(null);
  // Only this member has seen these keys' secrets, so the keys end with the member unless the owner decides otherwise.
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set());
  const revoked = keys.map(({ id }) => id).filter((id) => !kept.has(id));
  const remove = useAction(
    (api, _: null) =>
      isSelf
        ? api.post(`/stores/${storeId}/leave`)
        : api.post(`/stores/${storeId}/members/${userId}/remove`, { revoke_keys: revoked }),
    { done: t('memRemoved') },
  );
  const setIsKept = (id: number, isKept: boolean) =>
    setKept((before) => new Set(isKept ? [...before, id] : [...before].filter((one) => one !== id)));
  return (
    <>
      <RowMenu
        name={name}
        entries={[
          { kind: 'action', label: t('memChange'), onSelect: () => setOpenDialog('role') },
          {
            kind: 'action',
            label: isSelf ? t('memLeave') : t('memRemove'),
            isDangerous: true,
            onSelect: () => setOpenDialog('remove'),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={openDialog === 'remove'}
        onClose={close}
        title={isSelf ? t('memLeave') : t('memRemoveTitle', { name })}
        text={t('memRemoveText')}
        confirm={isSelf ? t('memLeave') : t('memRemove')}
        isDangerous
        onConfirm={() => remove.run(null)}
      >
        {!isSelf && keys.length > 0 && (
          <Choices label={t('memKeys')} hint={t('memKeysHint')}>
            {keys.map(({ id, name: key, environment }) => (
              <Checkbox
                key={id}
                label={`${key} (${t(environment === 'live' ? 'navLive' : 'navTest')})`}
                checked={!kept.has(id)}
                onChange={(event) => setIsKept(id, !event.currentTarget.checked)}
              />
            ))}
          </Choices>
        )}
      </ConfirmDialog>
      <Dialog isOpen={openDialog === 'role'} onClose={close} title={t('memChangeTitle', { name })}>
        <ActionForm
          send={(api, form) => api.patch(`/stores/${storeId}/members/${userId}`, { role: formText(form, 'role') })}
          submit={t('uiSave')}
          done={t('uiSaved')}
          onDone={close}
          isWide
        >
          <RoleSelect first={role} />
        </ActionForm>
      </Dialog>
    </>
  );
}

export function InvitationActions({ storeId, email }: { storeId: string; email: string }) {
  const { t } = useWords();
  const { run } = useAction((api, _: null) => api.post(`/stores/${storeId}/members/uninvite`, { email }), {
    done: t('memUninvited'),
  });
  return (
    <Confirm
      trigger={t('memUninvite')}
      isSmall
      title={t('memUninvite')}
      text={t('memUninviteText', { email })}
      confirm={t('memUninvite')}
      isDangerous
      onConfirm={() => run(null)}
    />
  );
}
