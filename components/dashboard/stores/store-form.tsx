'use client';
// A merchant's description of a store: the same fields for a new store and for changes.

import type { ReactNode } from 'react';
import { Checkbox, Choices } from '@/components/ui/checkbox';
import { TextArea, TextInput } from '@/components/ui/field';
import { More } from '@/components/ui/more';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import type { ChannelType } from '@/lib/merchants/stores/create';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { useStoreVersion } from './use-store-version';

export type StoreFields = {
  readonly name: string;
  readonly channelType: ChannelType;
  readonly website: string | null;
  readonly description: string | null;
  readonly settlementCurrency: string;
  readonly usdCurrencies: readonly string[];
  /** An empty list means all. */
  readonly networks: readonly string[];
  readonly acceptsOtherToken: boolean;
  readonly version: number;
};

const TOKENS = ['USDT', 'USDC'] as const;
const NEW: StoreFields = {
  name: '',
  channelType: 'api',
  website: null,
  description: null,
  settlementCurrency: 'USDT',
  usdCurrencies: TOKENS,
  networks: [],
  acceptsOtherToken: false,
  version: 0,
};

type Props = {
  /** Null for a new one. */
  readonly storeId: string | null;
  readonly store?: StoreFields;
  /** All available ones. */
  readonly networks: readonly string[];
  readonly isReadOnly?: boolean;
  readonly onDone?: (made: { id: string }) => void;
};

export function StoreForm({ storeId, store = NEW, networks, isReadOnly = false, onDone }: Props) {
  const { t } = useWords();
  const handleVersionConflict = useStoreVersion();
  return (
    <ActionForm<{ id: string }>
      // A change creates a new version, which the next change has to name.
      key={store.version}
      send={async (api, form) =>
        storeId === null
          ? api.post('/stores', { channel_type: store.channelType, ...withoutEmpty(bodyOf(form, networks)) })
          : handleVersionConflict(
              await api.patch(`/stores/${storeId}`, { version: store.version, ...bodyOf(form, networks) }),
            )
      }
      submit={storeId === null ? t('storeCreate') : t('uiSave')}
      {...(storeId !== null && { done: t('uiSaved') })}
      {...(onDone && { onDone })}
      isQuiet={storeId === null}
      isWide={storeId === null}
      isReadOnly={isReadOnly}
    >
      <Inputs store={store} networks={networks} isNew={storeId === null} />
    </ActionForm>
  );
}

type InputsProps = { readonly store: StoreFields; readonly networks: readonly string[]; readonly isNew: boolean };

function Inputs({ store, networks, isNew }: InputsProps): ReactNode {
  const { t } = useWords();
  return (
    <>
      <TextInput
        name="name"
        label={t('storeName')}
        hint={t('storeNameHint')}
        defaultValue={store.name}
        required
        maxLength={100}
        autoComplete="organization"
      />
      <TextInput
        name="website"
        type="url"
        label={t('storeWebsite')}
        defaultValue={store.website ?? ''}
        isOptional
        placeholder="https://shop.example.com"
        maxLength={2048}
      />
      {/* For an existing store, it is a part of the store's branding. */}
      {isNew && (
        <TextInput
          name="support_contact"
          label={t('storeSupport')}
          hint={t('storeSupportHint')}
          isOptional
          maxLength={254}
          autoComplete="off"
        />
      )}
      {isNew ? (
        <More>
          <Later store={store} networks={networks} />
        </More>
      ) : (
        <Later store={store} networks={networks} />
      )}
    </>
  );
}

/** The fields that a new store can leave at their defaults. */
function Later({ store, networks }: Omit<InputsProps, 'isNew'>): ReactNode {
  const { t } = useWords();
  const network = useNetworkName();
  return (
    <>
      <TextArea
        name="description"
        label={t('storeSells')}
        hint={t('storeSellsHint')}
        defaultValue={store.description ?? ''}
        isOptional
        maxLength={1000}
        rows={3}
      />
      {/* There is no choice while there is one type. */}
      <TextInput
        name="channel_type"
        label={t('storeChannel')}
        hint={t('storeChannelHint')}
        value={t(`storeChannel_${store.channelType}`)}
        readOnly
      />
      <Select
        name="settlement_currency"
        label={t('storeSettlement')}
        hint={t('storeSettlementHint')}
        defaultValue={store.settlementCurrency}
        options={TOKENS.map((value) => ({ value, label: value }))}
      />
      <Choices label={t('storeTokens')} hint={t('storeTokensHint')}>
        {TOKENS.map((token) => (
          <Checkbox
            key={token}
            name="usd_currencies"
            value={token}
            label={token}
            defaultChecked={store.usdCurrencies.includes(token)}
          />
        ))}
      </Choices>
      <Choices label={t('storeNetworks')} hint={t('storeNetworksHint')}>
        {networks.map((one) => (
          <Checkbox
            key={one}
            name="networks"
            value={one}
            label={network(one)}
            defaultChecked={store.networks.length === 0 || store.networks.includes(one)}
          />
        ))}
      </Choices>
      <Checkbox
        name="accepts_other_token"
        value="yes"
        label={t('storeOther')}
        hint={t('storeOtherHint')}
        defaultChecked={store.acceptsOtherToken}
      />
    </>
  );
}

type Body = Record<string, string | boolean | readonly FormDataEntryValue[] | null>;

function bodyOf(form: FormData, networks: readonly string[]): Body {
  const optional = (name: string): string | null => formText(form, name).trim() || null;
  const chosen = form.getAll('networks');
  return {
    name: formText(form, 'name'),
    website: optional('website'),
    description: optional('description'),
    ...(form.has('support_contact') && { support_contact: optional('support_contact') }),
    settlement_currency: formText(form, 'settlement_currency'),
    usd_currencies: form.getAll('usd_currencies'),
    networks: chosen.length === networks.length ? [] : chosen,
    accepts_other_token: form.has('accepts_other_token'),
  };
}

const withoutEmpty = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
