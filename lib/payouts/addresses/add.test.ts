// What is refused as a payout address, and what needs a confirmation.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import { newSigningWallet } from '@/testing/refunds/signing-wallets';
import { openAddressScene, WALLETS, type AddressScene } from '@/testing/payouts/address-scene';
import { listPayoutAddresses } from './list';
import { proofText, readProof } from './proof';

const TREASURY = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
const COLD = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const OTHER = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const FORWARDERS = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
let scene: AddressScene;
let store: Awaited<ReturnType<AddressScene['store']>>;
beforeAll(async () => {
  scene = await openAddressScene({
    TREASURY_WALLETS: `ethereum@mainnet=${TREASURY}`,
    COLD_WALLETS: `ethereum@mainnet=${COLD}`,
    TRON_FORWARDERS: `tron@mainnet=${FORWARDERS}`,
  });
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.force('DELETE FROM payout_addresses');
  scene.kinds.clear();
  store = await scene.store();
});
const list = () =>
  listPayoutAddresses(scene.database.pool, {
    ...{ storeId: store.storeId, environment: 'test', now: scene.clock.now() },
  });
const USDT = NETWORKS.find((one) => one.network === 'ethereum' && one.chain === 'mainnet')?.tokens.USDT?.contract;

describe('a payout address', () => {
  test('is stored in one form, with who added it, and recorded in the audit log', async () => {
    const id = await scene.add(store, { typed: ' 0x9858EfFD232B4033E47d90003D41EC34EcaEda94 ' });
    expect(await list()).toMatchObject([
      { id, address: WALLETS.first, state: 'announcing', creator: store.owner.email, isContract: false },
    ]);
    const { rows } = await scene.database.pool.query('SELECT * FROM audit_entries WHERE target = $1', [id]);
    expect(rows).toMatchObject([
      {
        action: 'payout_address.add',
        actor: `user:${store.owner.id}`,
        store_id: store.storeId,
        details: { address: WALLETS.first, network: 'ethereum', environment: 'test' },
      },
    ]);
  });

  test.each([
    ['no address', 'hello', 'malformed'],
    ['a mistyped address', '0x9858EfFD232B4033E47d90003D41EC34EcaEda95', 'checksum'],
    ['an address of another network', 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK', 'other_network'],
    ['the burn address', `0x${'0'.repeat(40)}`, 'zero'],
    ['a precompile', '0x0000000000000000000000000000000000000001', 'cannot_receive'],
    ['a token’s contract', USDT ?? '', 'token_contract'],
    ['a treasury wallet', TREASURY, 'ours'],
    ['a cold wallet', COLD, 'ours'],
  ])('is refused when it is %s', async (_, typed, code) => {
    expect(await scene.tryAdd(store, { typed })).toMatchObject({ refused: { code } });
    expect(await list()).toEqual([]);
  });

  test('is refused when it is the contract of forwarders or a forwarder, also as a confirmed contract', async () => {
    for (const address of [FORWARDERS, OTHER]) scene.kinds.set(address, 'contract');
    const add = (typed: string) => scene.tryAdd(store, { network: 'tron', typed, isContractConfirmed: true });
    expect(await add(FORWARDERS)).toEqual({ refused: { code: 'ours' } });
    await scene.force(
      `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, tron_factory, solana_address)
       VALUES ('live', 7, '0x7', $1, $2, 'S7')`,
      [OTHER, FORWARDERS],
    );
    expect(await add(OTHER)).toEqual({ refused: { code: 'ours' } });
    await scene.force('DELETE FROM address_pool');
    expect(await add(OTHER)).toHaveProperty('id');
  });

  test.each([
    [
      'a deposit address in the pool',
      `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address)
       VALUES ('live', 7, $1, 'T7', 'S7')`,
    ],
    [
      'a spare sponsor',
      `INSERT INTO own_wallets (environment, network, address, roles) VALUES ('live', 'ethereum', upper($1), '{spare}')`,
    ],
    [
      'a refund wallet',
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at)
       VALUES (1, upper($1), 'fee', 0, 1, now())`,
    ],
    [
      'a wallet of sweeps',
      `INSERT INTO sweep_states (environment, network, treasury, sponsor, fees_per_hour, fees_last_hour, read_at)
       VALUES ('test', 'ethereum', '0xa', $1, 0, 0, now())`,
    ],
    [
      'a former delegate of sweeps',
      `INSERT INTO sweep_states
       (environment, network, treasury, sponsor, former_delegates, fees_per_hour, fees_last_hour, read_at)
       VALUES ('live', 'ethereum', '0xa', '0xb', ARRAY[$1], 0, 0, now())`,
    ],
  ])('is refused when it is %s', async (_, insert) => {
    await scene.force(insert, [WALLETS.third]);
    expect(await scene.tryAdd(store, { typed: WALLETS.third })).toEqual({ refused: { code: 'ours' } });
    for (const table of ['address_pool', 'wallet_balances', 'sweep_states', 'own_wallets'])
      await scene.force(`DELETE FROM ${table}`);
    expect(await scene.tryAdd(store, { typed: WALLETS.third })).toHaveProperty('id');
  });

  test('on a network that the installation does not have is refused with the name of the field', async () => {
    await expect(scene.tryAdd(store, { network: 'nowhere' })).rejects.toMatchObject({
      ...{ code: 'INVALID_PARAMETER', param: 'network' },
    });
  });

  test('whose kind the chain does not report is not stored', async () => {
    scene.kinds.set(WALLETS.first, 'unknown');
    await expect(scene.tryAdd(store)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await list()).toEqual([]);
  });

  test('that is a contract is taken only after a confirmation', async () => {
    scene.kinds.set(WALLETS.first, 'contract');
    expect(await scene.tryAdd(store)).toEqual({ refused: { code: 'contract' } });
    await scene.add(store, { isContractConfirmed: true });
    expect(await list()).toMatchObject([{ address: WALLETS.first, isContract: true }]);
  });

  test('that is in use or waits is refused, but not on another network', async () => {
    await scene.add(store);
    expect(await scene.tryAdd(store)).toEqual({ refused: { code: 'same' } });
    await scene.add(store, { network: 'bsc' });
    await scene.announce();
    expect(await scene.tryAdd(store)).toEqual({ refused: { code: 'same' } });
  });

  test('can be added again after it was stopped or replaced', async () => {
    const first = await scene.add(store);
    await scene.database.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [first]);
    await scene.add(store);
    await scene.add(store, { typed: WALLETS.second });
    await scene.announce();
    scene.clock.advance(86_400);
    expect((await list()).map(({ state }) => state).toSorted()).toEqual(['current', 'former', 'stopped']);
    const former = (await list()).find(({ state }) => state === 'former');
    expect(await scene.tryAdd(store, { typed: former?.address ?? '' })).toHaveProperty('id');
  });

  test('is one of ten that a store may add within a day, because each one mails all owners', async () => {
    for (let n = 0; n < 10; n++) await scene.add(store, { typed: `0x${String(n).repeat(2)}${'a'.repeat(36)}${n}b` });
    expect(await scene.tryAdd(store)).toEqual({ refused: { code: 'too_many' } });
    scene.clock.advance(86_400);
    await scene.add(store);
  });

  test('that two owners add at once is added once', async () => {
    const added = await Promise.all([scene.tryAdd(store), scene.tryAdd(store)]);
    expect(added.filter((one) => 'id' in one)).toHaveLength(1);
    expect(added).toContainEqual({ refused: { code: 'same' } });
  });
});

describe('an address that looks like a former one of the store', () => {
  const TWIN = '0x9858000000000000000000000000000000aada94';

  test('is refused with both addresses in full, also when the former one was stopped, and taken after a confirmation', async () => {
    const id = await scene.add(store);
    await scene.database.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [id]);
    expect(await scene.tryAdd(store, { typed: TWIN })).toEqual({
      refused: {
        code: 'look_alike',
        address: displayAddress('evm', TWIN),
        other: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
      },
    });
    expect(await list()).toHaveLength(1);
    await scene.add(store, { typed: TWIN, isLookAlikeConfirmed: true });
  });

  test('is not refused because of another store’s address', async () => {
    await scene.add(await scene.store());
    expect(await scene.tryAdd(store, { typed: TWIN })).toHaveProperty('id');
  });
});

describe('the proof of ownership', () => {
  const family = 'evm';
  const requestOf = (address: string) => {
    const requestedAt = scene.clock.now();
    const named = { storeId: store.storeId, environment: 'test', network: 'ethereum', family, address } as const;
    return { requestedAt, text: proofText(scene.config.PUBLIC_URL, named, requestedAt) };
  };

  test('counts when the address’s own wallet signed the text of this store and network', async () => {
    const wallet = newSigningWallet(family);
    const { requestedAt, text } = requestOf(wallet.address);
    const proof = readProof(await wallet.sign(text), requestedAt);
    await scene.add(store, { typed: wallet.address, proof });
    expect(await list()).toMatchObject([{ address: wallet.address, isSigned: true }]);
  });

  test.each(['another wallet', 'another store', 'another time', 'too late'])(
    'is refused when it is of %s, and nothing is stored',
    async (fault) => {
      const wallet = newSigningWallet(family);
      const { requestedAt, text } = requestOf(wallet.address);
      const signer = fault === 'another wallet' ? newSigningWallet(family) : wallet;
      const signed = fault === 'another store' ? text.replace(store.storeId, 'st_other') : text;
      const at = fault === 'another time' ? new Date(requestedAt.getTime() - 1) : requestedAt;
      const proof = readProof(await signer.sign(signed), at);
      if (fault === 'too late') scene.clock.advance(3601);
      expect(await scene.tryAdd(store, { typed: wallet.address, proof })).toEqual({ refused: { code: 'not_signed' } });
      expect(await list()).toEqual([]);
    },
  );

  test('can be pasted as wallets return it: hexadecimal or, on Solana, base58', () => {
    const at = scene.clock.now();
    expect(readProof(`0x${'ab'.repeat(65)}`, at)?.signature).toHaveLength(65);
    expect(readProof(' ' + '1'.repeat(64), at)?.signature).toHaveLength(64);
    for (const text of ['', '0x', 'ab'.repeat(63), 'l0O', '1'.repeat(65)]) expect(readProof(text, at)).toBeNull();
  });
});
