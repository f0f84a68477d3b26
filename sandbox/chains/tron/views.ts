// A node's JSON of accounts, resources, contracts and receipts: as in java-tron, zero or empty fields are omitted and a missing
// object is `{}`.

import type { Account } from './account';
import { toBase58 } from './address';
import type { Known } from './chain';
import { permissionJson, permissionsOf } from './permissions';
import { FREE_BANDWIDTH, staked, stillUsed, TOTALS } from './resources';
import type { TronState } from './state';

export type Json = Record<string, unknown>;

const WINDOW = 28_800_000;

/** Without the fields that are zero, false, empty text or absent. */
const withoutZeros = (json: Json): Json =>
  Object.fromEntries(
    Object.entries(json).filter(([, value]) => value !== 0 && value !== '' && value !== null && value !== undefined),
  );

const addressIn = (address: string, visible: boolean): string => (visible ? toBase58(address) : address);

/** `{}` for an account that was never activated. */
export function accountJson(state: TronState, address: string, visible: boolean): Json {
  const account = state.account(address);
  if (account.createdAt === null) return {};
  const { owner, actives } = permissionsOf(state, address);
  const written = (key: string): string => addressIn(key, visible);
  const { BANDWIDTH, ENERGY } = account.stakes;
  return withoutZeros({
    address: addressIn(address, visible),
    type: account.contract ? 'Contract' : undefined,
    balance: Number(account.balance),
    create_time: account.createdAt,
    latest_opration_time: account.lastOperationAt,
    net_usage: stillUsed(account.used.BANDWIDTH, state.time),
    free_net_usage: stillUsed(account.used.FREE, state.time),
    net_window_size: WINDOW,
    net_window_optimized: true,
    account_resource: withoutZeros({
      energy_usage: stillUsed(account.used.ENERGY, state.time),
      delegated_frozenV2_balance_for_energy: Number(ENERGY.lent),
      acquired_delegated_frozenV2_balance_for_energy: Number(ENERGY.borrowed),
      energy_window_size: WINDOW,
      energy_window_optimized: true,
    }),
    delegated_frozenV2_balance_for_bandwidth: Number(BANDWIDTH.lent),
    acquired_delegated_frozenV2_balance_for_bandwidth: Number(BANDWIDTH.borrowed),
    owner_permission: permissionJson(owner, written),
    active_permission: actives.map((one) => permissionJson(one, written)),
    frozenV2: [
      withoutZeros({ amount: Number(BANDWIDTH.own - BANDWIDTH.lent) }),
      withoutZeros({ type: 'ENERGY', amount: Number(ENERGY.own - ENERGY.lent) }),
      { type: 'TRON_POWER' },
    ],
    unfrozenV2:
      account.unstaking.length === 0
        ? undefined
        : account.unstaking.map(({ resource, amount, until }) => ({
            ...(resource === 'ENERGY' ? { type: resource } : {}),
            unfreeze_amount: Number(amount),
            unfreeze_expire_time: until,
          })),
  });
}

/** `{}` for an account that was never activated. */
export function resourceJson(state: TronState, address: string): Json {
  const account = state.account(address);
  if (account.createdAt === null) return {};
  const power = Number((account.stakes.BANDWIDTH.own + account.stakes.ENERGY.own) / 1_000_000n);
  return withoutZeros({
    ...netJson(state, account),
    TotalNetLimit: TOTALS.BANDWIDTH.limit,
    TotalNetWeight: TOTALS.BANDWIDTH.weight,
    tronPowerLimit: power,
    EnergyUsed: stillUsed(account.used.ENERGY, state.time),
    EnergyLimit: staked(account, 'ENERGY'),
    TotalEnergyLimit: TOTALS.ENERGY.limit,
    TotalEnergyWeight: TOTALS.ENERGY.weight,
  });
}

const netJson = (state: TronState, account: Account): Json => ({
  freeNetUsed: stillUsed(account.used.FREE, state.time),
  freeNetLimit: FREE_BANDWIDTH,
  NetUsed: stillUsed(account.used.BANDWIDTH, state.time),
  NetLimit: staked(account, 'BANDWIDTH'),
});

export function bandwidthJson(state: TronState, address: string): Json {
  const account = state.account(address);
  return account.createdAt === null ? {} : withoutZeros(netJson(state, account));
}

/** `{}` for an address without a contract. */
export function contractJson(state: TronState, address: string, visible: boolean): Json {
  const { contract } = state.account(address);
  if (!contract) return {};
  const { origin_address: origin, contract_address: own, ...rest } = contract;
  return {
    ...rest,
    origin_address: addressIn(String(origin), visible),
    contract_address: addressIn(String(own), visible),
  };
}

/** The receipt of a transaction (TransactionInfo), or null while it is in no block up to `top`. */
export function receiptJson(
  { transaction, included }: Known,
  { top, timeOf, visible }: { top: number; timeOf: (block: number) => number; visible: boolean },
): Json | null {
  if (!included || included.block > top) return null;
  const { receipt } = included.entry;
  const contract = receipt.contract_address;
  return {
    id: transaction.id,
    ...receipt,
    blockNumber: included.block,
    blockTimeStamp: timeOf(included.block),
    ...(typeof contract === 'string' ? { contract_address: addressIn(contract, visible) } : {}),
    ...(visible ? visibleTexts(receipt) : {}),
  };
}

/** With `visible`, a log's address is base58 and messages are plain text. */
function visibleTexts({ log, resMessage }: Json): Json {
  return {
    ...(Array.isArray(log)
      ? { log: log.map((one: Json) => ({ ...one, address: toBase58(`41${String(one.address)}`) })) }
      : {}),
    ...(typeof resMessage === 'string' ? { resMessage: Buffer.from(resMessage, 'hex').toString('utf8') } : {}),
  };
}
