import { expect, test } from 'vitest';
import { readSignerSettings } from '@/lib/signer/settings';
import { entryOf, hsmKeysOf } from './settings';

const EVM = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const MIXED = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TRON = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
const SOLANA = 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb';

test('each wallet is read with the label of its key and its address', () => {
  const text = `refund/live/evm=a:${MIXED}, sponsor/test/tron=b.c-d_9:${TRON}\n spare/live/solana=c:${SOLANA}`;
  const keys = hsmKeysOf(text);
  expect(keys).toEqual([
    { role: 'refund', environment: 'live', family: 'evm', label: 'a', address: EVM },
    { role: 'sponsor', environment: 'test', family: 'tron', label: 'b.c-d_9', address: TRON },
    { role: 'spare', environment: 'live', family: 'solana', label: 'c', address: SOLANA },
  ]);
  expect(hsmKeysOf(keys.map(entryOf).join(','))).toEqual(keys);
  expect(hsmKeysOf('')).toEqual([]);
});

test.each([
  ['refund/live/evm', /entries such as/],
  [`refund/live/evm=${EVM}`, /entries such as/],
  [`refund/real/evm=a:${EVM}`, /entries such as/],
  [`payout/live/evm=a:${EVM}`, /entries such as/],
  [`refund/live/bitcoin=a:${EVM}`, /entries such as/],
  [`refund/live/evm=a b:${EVM}`, /entries such as/],
  [`refund/live/evm=${'a'.repeat(65)}:${EVM}`, /entries such as/],
  [`refund/live/evm=a:${TRON}`, /no address of refund\/live\/evm/],
  [`refund/live/evm=a:${MIXED.replace('C5', 'c5')}`, /no address of refund\/live\/evm/],
  [`refund/live/tron=a:${TRON.replace('Z', 'z')}`, /no address of refund\/live\/tron/],
  [`refund/live/evm=a:${EVM},refund/live/evm=b:${EVM.replace('70', '71')}`, /a wallet twice/],
  [`refund/live/evm=a:${EVM},refund/test/tron=a:${TRON}`, /two wallets one label/],
  [`refund/live/evm=a:${EVM},refund/test/evm=b:${EVM}`, /two wallets one address/],
])('a mistake is named without the value: %s', (text, message) => {
  expect(() => hsmKeysOf(text)).toThrow(message);
  const read = () => readSignerSettings({ KEYSTORE_FILE: 'k', SIGNER_HSM_KEYS: text });
  expect(read).toThrow(/SIGNER_HSM_KEYS: /);
  expect(read).not.toThrow(new RegExp(`${EVM}|${TRON}`));
});

test('keys in an HSM need to know where it is, and an HSM without keys is no mistake', () => {
  const place = {
    SIGNER_HSM_MODULE: '/usr/lib/module.so',
    SIGNER_HSM_LABEL: 'stabletill',
    SIGNER_HSM_PIN_FILE: '/pin',
  };
  const keys = { KEYSTORE_FILE: 'k', SIGNER_HSM_KEYS: `refund/live/evm=a:${EVM}` };
  expect(readSignerSettings({ ...keys, ...place }).SIGNER_HSM_KEYS).toHaveLength(1);
  for (const name of Object.keys(place))
    expect(() => readSignerSettings({ ...keys, ...place, [name]: '' })).toThrow(
      `${name}: is needed with SIGNER_HSM_KEYS`,
    );
  expect(readSignerSettings({ KEYSTORE_FILE: 'k', ...place }).SIGNER_HSM_KEYS).toEqual([]);
});
